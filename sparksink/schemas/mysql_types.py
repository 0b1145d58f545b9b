"""Maps MySQL column types to the Connect schemas that the connector writes.

Needed for messages without schemas: the types then come from the schema-change topic or from the
configuration. The rules are those of Debezium's MySQL connector.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from sparksink.config.source import Modes
from sparksink.errors import TableError
from sparksink.schemas.row_schema import SOURCE_LENGTH, SOURCE_TYPE, Column

_TYPE: Final = re.compile(r"([A-Z ]+?)\s*(?:\((.*)\))?\s*((?:UNSIGNED|ZEROFILL|SIGNED|BINARY|\s)*)")

_INTEGERS: Final = {
    "TINYINT": ("int16", "int16"),
    "SMALLINT": ("int16", "int32"),
    "MEDIUMINT": ("int32", "int32"),
    "INT": ("int32", "int64"),
    "INTEGER": ("int32", "int64"),
}
_TEXTS: Final = frozenset(
    "CHAR VARCHAR NCHAR NVARCHAR TEXT TINYTEXT MEDIUMTEXT LONGTEXT CHARACTER".split()
)
_BYTES: Final = frozenset("BINARY VARBINARY BLOB TINYBLOB MEDIUMBLOB LONGBLOB".split())
_SHAPES: Final = frozenset(
    "GEOMETRY POINT LINESTRING POLYGON MULTIPOINT MULTILINESTRING MULTIPOLYGON GEOMCOLLECTION"
    " GEOMETRYCOLLECTION".split()
)
_DATES: Final = {
    "connect": ("int32", "org.apache.kafka.connect.data.Date"),
    "isostring": ("string", "io.debezium.time.IsoDate"),
}
_TIMES: Final = {
    "connect": ("int32", "org.apache.kafka.connect.data.Time"),
    "isostring": ("string", "io.debezium.time.IsoTime"),
    "nanoseconds": ("int64", "io.debezium.time.NanoTime"),
}
_DATETIMES: Final = {
    "connect": ("int64", "org.apache.kafka.connect.data.Timestamp"),
    "isostring": ("string", "io.debezium.time.IsoTimestamp"),
    "microseconds": ("int64", "io.debezium.time.MicroTimestamp"),
    "nanoseconds": ("int64", "io.debezium.time.NanoTimestamp"),
}

_INSIDE: Final[Mapping[str, tuple[Column | None, tuple[Column, ...]]]] = {
    "array": (Column("", "float"), ()),
    "struct": (None, (Column("wkb", "bytes"), Column("srid", "int32"))),
}
"""Connect type → the schemas of its elements or fields."""

Kind = tuple[str, str, dict[str, str]]
"""Connect type, name of the schema, parameters."""


def column_of(name: str, text: str, modes: Modes) -> Column:
    """Return the column for a type in SQL: ``decimal(10,2)``, ``int unsigned``.

    :raises TableError: the type is unknown.
    """
    found = _TYPE.fullmatch(text.upper().strip())
    if found is None:
        raise TableError(f"{name}: {text} is not a MySQL column type.")
    base, inside = found[1].strip(), found[2] or ""
    words = f"{base} {found[3]}".split()
    kind = _kind(words[0], inside, "UNSIGNED" in words or "ZEROFILL" in words, modes)
    if kind is None:
        raise TableError(f"{name}: {text} is not a MySQL column type.")
    items, fields = _INSIDE.get(kind[0], (None, ()))
    return Column(name, *kind, items=items, fields=fields)


def _kind(base: str, inside: str, unsigned: bool, modes: Modes) -> Kind | None:
    if base in _INTEGERS:
        flag = (base, inside, unsigned) == ("TINYINT", "1", False)
        parameters = {SOURCE_TYPE: "TINYINT", SOURCE_LENGTH: "1"} if flag else {}
        return _INTEGERS[base][unsigned], "", parameters
    if base in _TEXTS:
        return "string", "", {}
    if base in _BYTES:
        return "bytes" if modes.binary == "bytes" else "string", "", {}
    if base in _SHAPES:
        return "struct", "io.debezium.data.geometry.Geometry", {}
    choose = _KINDS.get(base)
    return None if choose is None else choose(inside, unsigned, modes)


def _bigint(_: str, unsigned: bool, modes: Modes) -> Kind:
    if unsigned and modes.bigint_unsigned == "precise":
        return _decimal_of("20", "0")
    return "int64", "", {SOURCE_TYPE: "BIGINT UNSIGNED"} if unsigned else {}


def _decimal_of(precision: str, scale: str) -> Kind:
    parameters = {"scale": scale, "connect.decimal.precision": precision}
    return "bytes", "org.apache.kafka.connect.data.Decimal", parameters


def _decimal(inside: str, _: bool, modes: Modes) -> Kind:
    if modes.decimal != "precise":
        return modes.decimal, "", {}
    precision, scale = [*inside.split(","), ""][:2]
    return _decimal_of(precision.strip() or "10", scale.strip() or "0")


def _float(inside: str, _: bool, __: Modes) -> Kind:
    short = "," not in inside and int(inside or 0) <= 24
    return "float" if short else "double", "", {}


def _bit(inside: str, _: bool, __: Modes) -> Kind:
    if inside in {"", "1"}:
        return "boolean", "", {}
    return "bytes", "io.debezium.data.Bits", {"length": inside}


def _date(_: str, __: bool, modes: Modes) -> Kind:
    return (*_DATES.get(modes.time, ("int32", "io.debezium.time.Date")), {})


def _time(inside: str, _: bool, modes: Modes) -> Kind:
    if modes.time == "adaptive" and int(inside or 0) <= 3:
        return "int32", "io.debezium.time.Time", {}
    return (*_TIMES.get(modes.time, ("int64", "io.debezium.time.MicroTime")), {})


def _datetime(inside: str, _: bool, modes: Modes) -> Kind:
    unit = "Timestamp" if int(inside or 0) <= 3 else "MicroTimestamp"
    return (*_DATETIMES.get(modes.time, ("int64", f"io.debezium.time.{unit}")), {})


def _always(kind: str, semantic: str) -> Callable[[str, bool, Modes], Kind]:
    return lambda _, __, ___: (kind, semantic, {})


_KINDS: Final[Mapping[str, Callable[[str, bool, Modes], Kind]]] = {
    "BIGINT": _bigint,
    "SERIAL": lambda inside, _, modes: _bigint(inside, True, modes),
    "DECIMAL": _decimal,
    "NUMERIC": _decimal,
    "FIXED": _decimal,
    "DEC": _decimal,
    "FLOAT": _float,
    "DOUBLE": _always("double", ""),
    "REAL": _always("double", ""),
    "BIT": _bit,
    "BOOL": _always("boolean", ""),
    "BOOLEAN": _always("boolean", ""),
    "DATE": _date,
    "TIME": _time,
    "DATETIME": _datetime,
    "TIMESTAMP": _always("string", "io.debezium.time.ZonedTimestamp"),
    "YEAR": _always("int32", "io.debezium.time.Year"),
    "ENUM": _always("string", "io.debezium.data.Enum"),
    "SET": _always("string", "io.debezium.data.EnumSet"),
    "JSON": _always("string", "io.debezium.data.Json"),
    "UUID": _always("string", "io.debezium.data.Uuid"),
    "VECTOR": lambda _, __, ___: ("array", "io.debezium.data.FloatVector", {}),
}
