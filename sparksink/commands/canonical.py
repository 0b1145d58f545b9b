"""Canonical values, by which mirrors are compared with their source.

Each MySQL type has an entry: SQL of the source that casts a column ``{c}`` to a string, Spark's
SQL that converts the string ``{v}`` to the mirror's type ``{kind}``, and SQL of the mirror's value.
Columns with other types in the mirror are not compared, which the result shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Canonical:
    """How one column is compared; SQL of the source, and of Spark for both sides."""

    source: str
    read: str
    mirror: str = "{v}"


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column in ``information_schema``."""

    name: str
    kind: str
    nullable: bool


_NUMBER: Final = Canonical("CAST({c} AS CHAR)", "try_cast({v} AS {kind})")
_FLOAT: Final = Canonical("CAST(CAST({c} AS DOUBLE) AS CHAR)", "try_cast({v} AS {kind})")
_TEXT: Final = Canonical("CAST({c} AS CHAR CHARACTER SET utf8mb4)", "{v}")
_BYTES: Final = Canonical("HEX({c})", "unhex({v})")
_MOMENT: Final = Canonical("CAST({c} AS CHAR)", "try_cast({v} AS {kind})")
# In seconds since 1970, which do not depend on the session's time zone.
_INSTANT: Final = Canonical(
    "CAST(UNIX_TIMESTAMP({c}) AS CHAR)",
    "timestamp_micros(CAST(try_cast({v} AS DECIMAL(20,6)) * 1000000 AS BIGINT))",
)
# A fraction of zeros is omitted, any other has six digits.
_CLOCK: Final = Canonical(
    "CAST({c} AS CHAR)",
    "CASE WHEN {v} LIKE '%.%' THEN regexp_replace(concat(split_part({v}, '.', 1), '.',"
    " rpad(split_part({v}, '.', 2), 6, '0')), '[.]000000$', '') ELSE {v} END",
)
_JSON: Final = Canonical(
    _TEXT.source, "to_json(try_parse_json({v}))", "to_json(try_parse_json({v}))"
)
_BIT: Final = Canonical("CAST({c} + 0 AS CHAR)", "try_cast(try_cast({v} AS BIGINT) AS {kind})")
# Four bytes with the SRID precede the WKB.
_SHAPE: Final = Canonical("HEX({c})", "substring({v}, 9)", "hex({v}.wkb)")

_TRUTH: Final = "(try_cast({v} AS DECIMAL(38,0)) <> 0)"
"""SQL of a BOOLEAN, which is a number in MySQL."""

_NUMBERS: Final = ("tinyint", "smallint", "int", "bigint", "decimal")
_MOMENTS: Final = ("date", "timestamp_ntz")
_TEXTS: Final = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set")
_BLOBS: Final = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
_SHAPES: Final = (
    "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
    "geometrycollection", "geomcollection",
)  # fmt: skip

_RULES: Final[dict[str, tuple[tuple[str, ...], Canonical]]] = {
    **dict.fromkeys(
        ("tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "year"),
        ((*_NUMBERS, "boolean", "string"), _NUMBER),
    ),
    **dict.fromkeys(("float", "double"), (("float", "double"), _FLOAT)),
    **dict.fromkeys(("date", "datetime"), (_MOMENTS, _MOMENT)),
    "timestamp": (("timestamp",), _INSTANT),
    "time": (("string",), _CLOCK),
    **dict.fromkeys(_TEXTS, (("string",), _TEXT)),
    **dict.fromkeys(_BLOBS, (("binary",), _BYTES)),
    "json": (("string",), _JSON),
    "bit": (("boolean", "bigint"), _BIT),
    **dict.fromkeys(_SHAPES, (("struct",), _SHAPE)),
}
"""MySQL type → comparable types of a mirror, and the canonical SQL."""

_BEGINNING: Final[dict[str, Callable[[str], str]]] = {
    "date": lambda kind: f"CAST(DATE'1970-01-01' AS {kind})",
    "datetime": lambda kind: f"CAST(TIMESTAMP_NTZ'1970-01-01 00:00:00' AS {kind})",
}
"""What the connector writes for a zero date in a NOT NULL column."""


def canonical(column: SourceColumn, kind: str) -> Canonical | None:
    """Return how a column is compared with a mirror's column of a type; None if it is not."""
    kinds, rule = _RULES.get(column.kind, ((), _TEXT))
    if kind.partition("(")[0].partition("<")[0] not in kinds:
        return None
    read = (_TRUTH if kind == "boolean" else rule.read).replace("{kind}", kind)
    if column.nullable and column.kind == "timestamp":
        read = read.replace("{v}", "nullif(nullif({v}, '0'), '0.000000')")
    if not column.nullable and column.kind in _BEGINNING:
        zero = _BEGINNING[column.kind](kind)
        read = f"CASE WHEN {{v}} LIKE '0000-%' THEN {zero} ELSE {read} END"
    return Canonical(rule.source, read, rule.mirror)
