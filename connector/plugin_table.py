"""The one table of what can be named in a configuration.

A row is loaded when it is first used: a worker that writes JSON never imports Avro. A class
has one row for each kind it serves as. Connect's short names work: the class name without its
package, and that without its suffix (KIP-26: ``MySqlConnector``, ``MySql``).
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from connector.errors import ConfigError, NotFoundError
from connector.plugin import Component, PluginInfo, PluginKind, SourceConnector

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONNECT_VERSION: Final = "4.3.0"

_SUFFIXES: Final[dict[PluginKind, tuple[str, ...]]] = {
    "source": ("Connector",),
    "transformation": ("Transformation",),
    "predicate": ("Predicate",),
    "converter": ("Converter",),
    "header_converter": ("HeaderConverter", "Converter"),
}
_KINDS: Final = tuple(_SUFFIXES)
_NOUNS: Final[dict[PluginKind, str]] = {
    "source": "Connector",
    "transformation": "Transformation",
    "predicate": "Predicate",
    "converter": "Converter",
    "header_converter": "HeaderConverter",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A plugin: its Java class name, and where it is here as ``module:attribute``.

    A source's attribute is a class without arguments; it is made once. Without a ``version``
    the source's own counts: Debezium's connectors have it in their events, too.
    """

    kind: PluginKind
    class_name: str
    version: str | None
    place: str

    def load(self) -> Any:
        """Import the module and return the attribute."""
        module, _, attribute = self.place.partition(":")
        return getattr(importlib.import_module(module), attribute)

    def aliases(self) -> set[str]:
        """Return every name the plugin answers to."""
        simple = self.class_name.rpartition(".")[2]
        short = {simple.removesuffix(suffix) for suffix in _SUFFIXES[self.kind]}
        return {self.class_name, simple, *short} - {""}


_STORAGE: Final = "org.apache.kafka.connect.storage."
_TRANSFORMS: Final = "org.apache.kafka.connect.transforms."
_JSON: Final = "org.apache.kafka.connect.json.JsonConverter"

ROWS: Final = (
    Row(
        "source",
        "io.debezium.connector.mysql.MySqlConnector",
        None,
        "connector.connectors:mysql_connector",
    ),
    Row(
        "source",
        "io.debezium.connector.mariadb.MariaDbConnector",
        None,
        "connector.connectors:mariadb_connector",
    ),
    Row("converter", _JSON, CONNECT_VERSION, "connector.converters.json:JsonConverter"),
    Row(
        "converter",
        _STORAGE + "StringConverter",
        CONNECT_VERSION,
        "connector.converters.string:StringConverter",
    ),
    Row(
        "transformation",
        _TRANSFORMS + "RegexRouter",
        CONNECT_VERSION,
        "connector.transforms.regex_router:RegexRouter",
    ),
    Row(
        "header_converter",
        _STORAGE + "SimpleHeaderConverter",
        CONNECT_VERSION,
        "connector.converters.simple_header:SimpleHeaderConverter",
    ),
)


class PluginTable:
    """The plugins of a worker, found by class name or short name."""

    def __init__(self, rows: Iterable[Row] = ROWS) -> None:
        self._rows = sorted(rows, key=lambda row: (_KINDS.index(row.kind), row.class_name))
        self._connectors: dict[str, SourceConnector] = {}

    def all(self) -> Sequence[PluginInfo]:
        """Return all plugins: by kind, then by class name."""
        return [self._info(row) for row in self._rows]

    def info(self, name: str, kind: PluginKind | None = None) -> PluginInfo:
        """Find a plugin by its class name or a short name."""
        return self._info(self._find(name, kind))

    def connector(self, name: str) -> SourceConnector:
        """Return the connector of that name, the same object each time."""
        return self._connector(self._find(name, "source"))

    def component(self, name: str, kind: PluginKind) -> type[Component]:
        """Return the class of a converter, transform or predicate."""
        return cast("type[Component]", self._find(name, kind).load())

    def _info(self, row: Row) -> PluginInfo:
        version = row.version or self._connector(row).version
        return PluginInfo(row.class_name, row.kind, version)

    def _connector(self, row: Row) -> SourceConnector:
        found = self._connectors.get(row.class_name)
        if found is None:
            found = self._connectors.setdefault(row.class_name, row.load()())
        return found

    def _find(self, name: str, kind: PluginKind | None) -> Row:
        rows = [row for row in self._rows if kind in (None, row.kind) and name in row.aliases()]
        classes = sorted({row.class_name for row in rows})
        if len(classes) == 1:
            return rows[0]
        noun = _NOUNS[kind or "source"]
        if classes:
            raise ConfigError(
                f"More than one {noun.lower()} matches alias {name}. Please use full package and "
                f"class name instead. Classes found: {', '.join(classes)}"
            )
        there = ", ".join(row.class_name for row in self._rows if kind in (None, row.kind))
        raise NotFoundError(
            f"Failed to find any class that implements {noun} and which name matches {name}, "
            f"available {noun.lower()}s are: {there or 'none'}"
        )
