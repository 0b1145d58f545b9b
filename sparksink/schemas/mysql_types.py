"""Maps MySQL column types to the Connect schemas that the connector writes.

Needed for messages without schemas: the types then come from the schema-change topic or from the
configuration. The rules are those of Debezium's MySQL connector.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from connector import names
from sparksink.config.source import Modes
from sparksink.errors import TableError
from sparksink.schemas.row_schema import Column

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
    "connect": ("int32", names.CONNECT_DATE),
    "isostring": ("string", names.ISO_DATE),
}
_TIMES: Final = {
    "connect": ("int32", names.CONNECT_TIME),
    "isostring": ("string", names.ISO_TIME),
    "nanoseconds": ("int64", names.NANO_TIME),
}
_DATETIMES: Final = {
    "connect": ("int64", names.CONNECT_TIMESTAMP),
    "isostring": ("string", names.ISO_TIMESTAMP),
    "microseconds": ("int64", names.MICRO_TIMESTAMP),
    "nanoseconds": ("int64", names.NANO_TIMESTAMP),
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
        parameters = {names.SOURCE_TYPE: "TINYINT", names.SOURCE_LENGTH: "1"} if flag else {}
        return _INTEGERS[base][unsigned], "", parameters
    if base in _TEXTS:
        return "string", "", {}
    if base in _BYTES:
        return "bytes" if modes.binary == "bytes" else "string", "", {}
    if base in _SHAPES:
        return "struct", names.GEOMETRY, {}
    choose = _KINDS.get(base)
    return None if choose is None else choose(inside, unsigned, modes)


def _bigint(_: str, unsigned: bool, modes: Modes) -> Kind:
    if unsigned and modes.bigint_unsigned == "precise":
        return _decimal_of("20", "0")
    return "int64", "", {names.SOURCE_TYPE: "BIGINT UNSIGNED"} if unsigned else {}


def _decimal_of(precision: str, scale: str) -> Kind:
    parameters = {names.SCALE: scale, names.PRECISION: precision}
    return "bytes", names.CONNECT_DECIMAL, parameters


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
    return "bytes", names.BITS, {names.LENGTH: inside}


def _date(_: str, __: bool, modes: Modes) -> Kind:
    return (*_DATES.get(modes.time, ("int32", names.DATE)), {})


def _time(inside: str, _: bool, modes: Modes) -> Kind:
    if modes.time == "adaptive" and int(inside or 0) <= 3:
        return "int32", names.TIME, {}
    return (*_TIMES.get(modes.time, ("int64", names.MICRO_TIME)), {})


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
    "TIMESTAMP": _always("string", names.ZONED_TIMESTAMP),
    "YEAR": _always("int32", names.YEAR),
    "ENUM": _always("string", names.ENUM),
    "SET": _always("string", names.ENUM_SET),
    "JSON": _always("string", names.JSON),
    "UUID": _always("string", names.UUID),
    "VECTOR": lambda _, __, ___: ("array", names.FLOAT_VECTOR, {}),
}
