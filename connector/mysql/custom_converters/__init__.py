"""Custom converters: ``converters`` names them, each with a type and settings of its own.

Debezium's bundled ones are known by their class names; others come from installed packages, as
entry points of the group ``millrace.converters`` whose names are the types to be used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import entry_points
from typing import Final, Protocol

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column, TableId
from connector.config import invalid, settings_below
from connector.errors import ConfigError
from connector.mysql.custom_converters.jdbc_sink import JdbcSinkDataTypes
from connector.mysql.custom_converters.tinyint_one import TinyIntOneToBoolean
from connector.mysql.custom_converters.zero_date import ZeroDateFallback
from connector.mysql.types.type_options import TypeOptions

ENTRY_POINTS: Final = "millrace.converters"


class ColumnConverter(Protocol):
    """Decides how single columns are read."""

    def codec(self, table: TableId, column: Column) -> ColumnCodec | None:
        """Return how a column is read, None when it is none of this converter's."""


BuildConverter = Callable[[Mapping[str, str], TypeOptions], ColumnConverter]
_PACKAGES: Final = ("binlog", "mysql", "mariadb")
_BUNDLED: Final[dict[str, BuildConverter]] = {
    f"io.debezium.connector.{package}.converters.{name}": build
    for package in _PACKAGES
    for name, build in (
        ("TinyIntOneToBooleanConverter", TinyIntOneToBoolean),
        ("JdbcSinkDataTypesConverter", JdbcSinkDataTypes),
        ("ZeroDateFallbackConverter", ZeroDateFallback),
    )
}


def custom_converters(config: Mapping[str, str], options: TypeOptions) -> Iterator[ColumnConverter]:
    """Yield the converters of a configuration, in the order in which they are asked.

    :raises ConfigError: a type is missing or not known, or a setting cannot be used.
    """
    for name in filter(None, map(str.strip, config.get("converters", "").split(","))):
        settings = settings_below(config, f"{name}.")
        yield _builder(f"{name}.type", settings.get("type"))(settings, options)


def faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the converters."""
    try:
        list(custom_converters(config, TypeOptions()))
    except ConfigError as error:
        return {"converters": str(error)}
    return {}


def _builder(key: str, kind: str | None) -> BuildConverter:
    if not kind:
        raise ConfigError(f"The '{key}' value is invalid: A value is required")
    if kind in _BUNDLED:
        return _BUNDLED[kind]
    for point in entry_points(group=ENTRY_POINTS, name=kind):
        return point.load()  # type: ignore[no-any-return]
    raise invalid(
        key,
        kind,
        f"not supported: it is neither one of {', '.join(_BUNDLED)} nor an installed entry point "
        f"of the group {ENTRY_POINTS}",
    )
