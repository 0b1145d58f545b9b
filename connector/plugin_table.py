"""The one table of what can be named in a configuration.

A row is loaded when it is first used: a worker that writes JSON never imports Avro. A class
has one row for each kind it serves as. Connect's short names work: the class name without its
package, and that without its suffix (KIP-26: ``MySqlConnector``, ``MySql``).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Final, cast

from connector.converters.table import CONVERTERS, Project
from connector.errors import ConfigError, NotFoundError
from connector.plugin import Component, PluginInfo, PluginKind, SourceConnector

CONNECT_VERSION: Final = "4.3.0"
DEBEZIUM_VERSION: Final = "3.6.1.Final"
CONFLUENT_VERSION: Final = "8.1.0"
APICURIO_VERSION: Final = "2.6.13.Final"

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
class PluginRow:
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


_TRANSFORMS: Final = "org.apache.kafka.connect.transforms."
_VERSIONS: Final[dict[Project, str]] = {
    "connect": CONNECT_VERSION,
    "debezium": DEBEZIUM_VERSION,
    "confluent": CONFLUENT_VERSION,
    "apicurio": APICURIO_VERSION,
}

_KEY_AND_VALUE: Final = {
    "Cast": "cast",
    "ExtractField": "extract_field",
    "Flatten": "flatten",
    "HeaderFrom": "header_from",
    "HoistField": "hoist_field",
    "InsertField": "insert_field",
    "MaskField": "mask_field",
    "ReplaceField": "replace_field",
    "SetSchemaMetadata": "set_schema_metadata",
    "TimestampConverter": "timestamp_converter",
}
_WHOLE_RECORD: Final = {
    "DropHeaders": "headers",
    "Filter": "filter",
    "InsertHeader": "headers",
    "RegexRouter": "regex_router",
    "TimestampRouter": "timestamp_router",
    "ValueToKey": "value_to_key",
}
_DEBEZIUM: Final = {
    "io.debezium.connector.mysql.transforms.ReadToInsertEvent": "read_to_insert_event",
    "io.debezium.transforms.ByLogicalTableRouter": "by_logical_table_router",
    "io.debezium.transforms.ContentBasedRouter": "scripting",
    "io.debezium.transforms.EnforceRecordSize": "enforce_record_size",
    "io.debezium.transforms.ExtractChangedRecordState": "extract_changed_record_state",
    "io.debezium.transforms.ExtractNewRecordState": "extract_new_record_state",
    "io.debezium.transforms.ExtractSchemaToNewRecord": "extract_schema_to_new_record",
    "io.debezium.transforms.Filter": "scripting:ConditionFilter",
    "io.debezium.transforms.GeometryFormatTransformer": "geometries",
    "io.debezium.transforms.HeaderToValue": "header_to_value",
    "io.debezium.transforms.SchemaChangeEventFilter": "schema_change_event_filter",
    "io.debezium.transforms.SwapGeometryCoordinates": "geometries",
    "io.debezium.transforms.TimezoneConverter": "timezone_converter",
    "io.debezium.transforms.VectorToJsonConverter": "vector_to_json_converter",
    "io.debezium.transforms.outbox.EventRouter": "event_router",
    "io.debezium.transforms.partitions.PartitionRouting": "partition_routing",
    "io.debezium.transforms.tracing.ActivateTracingSpan": "trace_context",
}
_PREDICATES: Final = ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")


def _transforms() -> Iterator[PluginRow]:
    """Yield the transforms and predicates of Kafka Connect and Debezium."""
    modules = "connector.transforms."
    for name, module in _KEY_AND_VALUE.items():
        for part in ("Key", "Value"):
            place = f"{modules}{module}:{name}{part}"
            yield PluginRow("transformation", f"{_TRANSFORMS}{name}${part}", CONNECT_VERSION, place)
    for name, module in _WHOLE_RECORD.items():
        place = f"{modules}{module}:{name}"
        yield PluginRow("transformation", _TRANSFORMS + name, CONNECT_VERSION, place)
    for class_name, module in _DEBEZIUM.items():
        named = module if ":" in module else f"{module}:{class_name.rpartition('.')[2]}"
        yield PluginRow("transformation", class_name, DEBEZIUM_VERSION, modules + named)
    for name in _PREDICATES:
        class_name = f"{_TRANSFORMS}predicates.{name}"
        yield PluginRow("predicate", class_name, CONNECT_VERSION, f"{modules}predicates:{name}")


def _converters() -> Iterator[PluginRow]:
    """Yield the converters; most of them write headers, too."""
    for class_name, found in CONVERTERS.items():
        version = _VERSIONS[found.project]
        yield PluginRow("converter", class_name, version, found.place)
        if found.headers:
            yield PluginRow("header_converter", class_name, version, found.place)
    yield PluginRow(
        "header_converter",
        "org.apache.kafka.connect.storage.SimpleHeaderConverter",
        CONNECT_VERSION,
        "connector.converters.simple_header:SimpleHeaderConverter",
    )


ROWS: Final = (
    PluginRow(
        "source",
        "io.debezium.connector.mysql.MySqlConnector",
        None,
        "connector.connectors:mysql_connector",
    ),
    PluginRow(
        "source",
        "io.debezium.connector.mariadb.MariaDbConnector",
        None,
        "connector.connectors:mariadb_connector",
    ),
    *_converters(),
    *_transforms(),
)


_GROUPS: Final[dict[str, PluginKind]] = {
    "millrace.transformations": "transformation",
    "millrace.predicates": "predicate",
    "millrace.converters": "converter",
    "millrace.header_converters": "header_converter",
}


def installed_rows() -> list[PluginRow]:
    """Return the plugins of installed packages: an entry point names the class and its place."""
    return [
        PluginRow(kind, point.name, point.dist.version if point.dist else "", point.value)
        for group, kind in _GROUPS.items()
        for point in entry_points(group=group)
    ]


class PluginTable:
    """The plugins of a worker, found by class name or short name."""

    def __init__(self, rows: Iterable[PluginRow] = ROWS) -> None:
        self._rows = sorted(rows, key=lambda row: (_KINDS.index(row.kind), row.class_name))
        self._connectors: dict[str, SourceConnector] = {}
        self._named: dict[str, list[PluginRow]] = {}
        for row in self._rows:
            for name in row.aliases():
                self._named.setdefault(name, []).append(row)

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
        row = self._find(name, kind)
        try:
            return cast("type[Component]", row.load())
        except (ImportError, AttributeError) as error:
            raise ConfigError(f"{row.class_name} cannot be loaded: {error}") from error

    def _info(self, row: PluginRow) -> PluginInfo:
        version = self._connector(row).version if row.version is None else row.version
        return PluginInfo(row.class_name, row.kind, version)

    def _connector(self, row: PluginRow) -> SourceConnector:
        found = self._connectors.get(row.class_name)
        if found is None:
            found = self._connectors.setdefault(row.class_name, row.load()())
        return found

    def _find(self, name: str, kind: PluginKind | None) -> PluginRow:
        rows = [row for row in self._named.get(name.strip(), ()) if kind in (None, row.kind)]
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
