"""Maps Connect and Debezium types to Spark types.

Each type has one entry: the Spark type in which a JSON or Avro reader reads the value, the type of
the target's column, and the SQL conversion between them, with ``{v}`` for the value. The SQL does
not fail in ANSI mode: values that do not fit become NULL, and are then reported as dead letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from connector import names
from sparksink.config.columns import Types
from sparksink.errors import TableError
from sparksink.schemas.row_schema import Column, RowSchema
from sparksink.sql import quote_name

MAX_PRECISION: Final = 38
BEFORE: Final = "__before"
"""The column of a history with the row before a change; ``__before.name`` is a field."""
BIG_DECIMAL: Final = "millrace_big_decimal"
"""The name of the Python UDF that reads decimals beyond Spark's precision."""


@dataclass(frozen=True, slots=True)
class ColumnConversion:
    """How one column is read: ``wire`` and ``target`` are Spark types, ``sql`` converts.

    With ``drops`` values become NULL on purpose; ``member`` is the column's name in messages if it
    differs.
    """

    wire: str
    target: str
    sql: str = "{v}"
    drops: bool = False
    member: str = ""

    def convert(self, value: str) -> str:
        """Return the SQL that converts a value, which is SQL itself."""
        return self.sql.replace("{v}", value)


_PLAIN: Final[Mapping[str, str]] = {
    "boolean": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "float32": "float",
    "double": "double",
    "float64": "double",
    "string": "string",
    "bytes": "binary",
}

# Time of day as text. MySQL's TIME goes from -838:59:59 to 838:59:59, beyond every SQL type.
_CLOCK: Final = (
    "format_string('%s%02d:%02d:%02d%s', CASE WHEN {u} < 0 THEN '-' ELSE '' END,"
    " abs({u}) DIV 3600000000, abs({u}) DIV 60000000 % 60, abs({u}) DIV 1000000 % 60,"
    " CASE WHEN {u} % 1000000 = 0 THEN '' ELSE format_string('.%06d', abs({u}) % 1000000) END)"
)


def column_conversion(column: Column, types: Types) -> ColumnConversion:
    """Return the conversion of a column; without a known schema name the type is kept."""
    choose = _SEMANTIC.get(column.semantic)
    if choose is not None:
        return choose(column, types)
    source = column.parameters.get(names.SOURCE_TYPE, "")
    if source.startswith("BIGINT UNSIGNED"):
        return _read_unsigned(types)
    if types.tinyint1 == "boolean" and _is_flag(column, source):
        return ColumnConversion(_PLAIN[column.type], "boolean", "({v} <> 0)")
    return _physical(column, types)


def check(shape: RowSchema) -> None:
    """Check that a row's columns can be converted.

    :raises TableError: a column cannot.
    """
    lowered = [column.name.lower() for column in shape.columns]
    if not lowered or len(set(lowered)) < len(lowered) or "" in lowered:
        raise TableError("a schema without columns, or with two of one name")
    for column in shape.columns:
        try:
            column_conversion(column, Types())
            scale = int(column.parameters.get("scale", "0"))
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise TableError(f"a schema whose column {column.name} cannot be read") from error
        if not 0 <= scale <= int(column.parameters.get(names.PRECISION, scale)):
            raise TableError(f"a schema whose column {column.name} cannot be read")


def _is_flag(column: Column, source: str) -> bool:
    """Return whether it is TINYINT(1), MySQL's BOOLEAN."""
    return source == "TINYINT" and column.parameters.get(names.SOURCE_LENGTH) == "1"


def _physical(column: Column, types: Types) -> ColumnConversion:
    if column.type in _PLAIN:
        return ColumnConversion(_PLAIN[column.type], _PLAIN[column.type])
    wire = wire_type(column, types)
    return ColumnConversion(wire, wire)


def wire_type(column: Column, types: Types) -> str:
    """Return the Spark type of an unconverted value, structs included."""
    if column.type == "struct":
        return struct_type((inner.name, wire_type(inner, types)) for inner in column.fields)
    if column.items is not None:
        item = wire_type(column.items, types)
        return f"array<{item}>" if column.type == "array" else f"map<string,{item}>"
    return _PLAIN[column.type]


def struct_type(members: Iterable[tuple[str, str]]) -> str:
    """Return a struct type from (name, type) pairs."""
    pairs = [f"{quote_name(name)}:{kind}" for name, kind in members]
    return f"struct<{','.join(pairs)}>"


def _read_unsigned(types: Types) -> ColumnConversion:
    """Read BIGINT UNSIGNED, whose upper half arrives as negative numbers."""
    if types.unsigned_bigint == "bigint":
        return ColumnConversion("bigint", "bigint")
    return ColumnConversion(
        "bigint", "decimal(20,0)", "CAST(conv(hex({v}), 16, 10) AS DECIMAL(20,0))"
    )


_BEYOND: Final[Mapping[str, tuple[str, str]]] = {
    "decimal38_else_string": ("string", "{text}"),
    "decimal38_else_double": ("double", "try_cast({text} AS DOUBLE)"),
    "decimal38": ("decimal(38,{scale})", "try_cast({text} AS DECIMAL(38,{scale}))"),
}
"""Setting for a DECIMAL with more digits than Spark's → type, and SQL on the exact text."""


def _decimal(column: Column, types: Types) -> ColumnConversion:
    """Read an unscaled number, big-endian in two's complement."""
    scale = int(column.parameters.get("scale", "0"))
    precision = int(column.parameters.get(names.PRECISION, MAX_PRECISION))
    if precision > MAX_PRECISION:
        target, sql = _BEYOND[types.decimal_max]
        text = f"{BIG_DECIMAL}({{v}}, {scale})"
        sql = sql.replace("{text}", text).replace("{scale}", str(scale))
        return ColumnConversion("binary", target.replace("{scale}", str(scale)), sql)
    target = f"decimal({precision},{scale})"
    if precision <= 18:
        return ColumnConversion("binary", target, _small_decimal(scale, target))
    return ColumnConversion("binary", target, _large_decimal(scale, target))


def _pad(size: int) -> str:
    # lpad truncates longer values, so these must not reach it.
    fill = "CASE WHEN substring(hex({v}), 1, 1) >= '8' THEN X'FF' ELSE X'00' END"
    return f"CASE WHEN length({{v}}) BETWEEN 1 AND {size} THEN lpad({{v}}, {size}, {fill}) END"


def _small_decimal(scale: int, target: str) -> str:
    # 18 digits times scale + 1 digits give at most 38: with more Spark would drop digits.
    unscaled = f"try_cast(conv(hex({_pad(8)}), 16, -10) AS DECIMAL(18,0))"
    one = "1" if scale == 0 else f"0.{'0' * (scale - 1)}1"
    return f"try_cast({unscaled} * CAST({one} AS DECIMAL({scale + 1},{scale})) AS {target})"


def _large_decimal(scale: int, target: str) -> str:
    """Join two halves; negative numbers use the complement, as the upper half could overflow."""
    bytes16 = _pad(16)
    high = f"CAST(conv(hex(substring({bytes16}, 1, 8)), 16, -10) AS BIGINT)"
    low = f"CAST(conv(hex(substring({bytes16}, 9, 8)), 16, -10) AS BIGINT)"
    sign = f"CASE WHEN {high} < 0 THEN 1 ELSE 0 END"
    flip = f"CASE WHEN {high} < 0 THEN -1L ELSE 0L END"
    size = (
        f"try_add(try_add(try_multiply(CAST({high} ^ {flip} AS DECIMAL(20,0)),"
        f" CAST(18446744073709551616 AS DECIMAL(20,0))),"
        f" CAST(conv(hex({low} ^ {flip}), 16, 10) AS DECIMAL(20,0))), {sign})"
    )
    digits = f"CAST({size} AS STRING)"
    digits = f"lpad({digits}, greatest(length({digits}), {scale + 1}), '0')"
    text = (
        f"concat(CASE WHEN {high} < 0 THEN '-' ELSE '' END,"
        f" left({digits}, length({digits}) - {scale}), '.', right({digits}, {scale}))"
    )
    return f"try_cast({text} AS {target})"


# Values outside MySQL's ranges become NULL, as Spark's functions fail beyond their limits.
_DAYS: Final = "CASE WHEN {v} BETWEEN -719162 AND 2932896 THEN {v} END"
MILLIS: Final = "CASE WHEN {v} BETWEEN -62135596800000 AND 253402300799999 THEN {v} END"
_MICROS: Final = MILLIS.replace("0000 AND", "0000000 AND").replace("999 THEN", "999999 THEN")
_CLOCK_LIMIT: Final = "{u} BETWEEN -3020400000000 AND 3020400000000"


def _date(_: Column, __: Types) -> ColumnConversion:
    return ColumnConversion("int", "date", f"date_add(DATE'1970-01-01', {_DAYS})")


def _datetime(function: str, unit: str = "{v}") -> Callable[[Column, Types], ColumnConversion]:
    """Read DATETIME, a local time without zone, as if it were UTC."""

    def choose(_: Column, types: Types) -> ColumnConversion:
        limited = MILLIS if function == "timestamp_millis" else _MICROS
        instant = f"{function}({limited.replace('{v}', unit)})"
        if types.datetime == "timestamp":
            return ColumnConversion("bigint", "timestamp", instant)
        return ColumnConversion("bigint", "timestamp_ntz", f"CAST({instant} AS TIMESTAMP_NTZ)")

    return choose


def _time(wire: str, micros: str) -> Callable[[Column, Types], ColumnConversion]:
    def choose(_: Column, types: Types) -> ColumnConversion:
        if types.time == "micros":
            return ColumnConversion(wire, "bigint", micros)
        text = _CLOCK.replace("{u}", f"({micros})")
        limited = _CLOCK_LIMIT.replace("{u}", f"({micros})")
        return ColumnConversion(wire, "string", f"CASE WHEN {limited} THEN {text} END")

    return choose


def _text_as(target: str) -> Callable[[Column, Types], ColumnConversion]:
    return lambda _, __: ColumnConversion("string", target, f"try_cast({{v}} AS {target.upper()})")


def _json(_: Column, types: Types) -> ColumnConversion:
    if types.json_as == "variant":
        return ColumnConversion("string", "variant", "try_parse_json({v})")
    return ColumnConversion("string", "string")


def _set(_: Column, types: Types) -> ColumnConversion:
    if types.set == "string":
        return ColumnConversion("string", "string")
    parts = "CASE WHEN {v} = '' THEN CAST(array() AS ARRAY<STRING>) ELSE split({v}, ',') END"
    return ColumnConversion("string", "array<string>", parts)


def _bits(column: Column, types: Types) -> ColumnConversion:
    """Read a bit string in little-endian byte order."""
    if types.bits == "binary" or int(column.parameters.get("length", "64")) > 63:
        return ColumnConversion("binary", "binary")
    pairs = "reverse(sequence(1, greatest(length({v}), 1)))"
    text = f"array_join(transform({pairs}, i -> hex(substring({{v}}, i, 1))), '')"
    return ColumnConversion("binary", "bigint", f"try_cast(conv({text}, 16, 10) AS BIGINT)")


def _geometry(_: Column, types: Types) -> ColumnConversion:
    wire = "struct<`wkb`:binary,`srid`:int>"
    if types.geometry == "wkb":
        return ColumnConversion(wire, "binary", "{v}.wkb")
    return ColumnConversion(wire, wire)


_TIMESTAMPS: Final = {
    names.CONNECT_TIMESTAMP: _datetime("timestamp_millis"),
    names.TIMESTAMP: _datetime("timestamp_millis"),
    names.MICRO_TIMESTAMP: _datetime("timestamp_micros"),
    # DIV rounds toward zero, but times before 1970 must be rounded down.
    names.NANO_TIMESTAMP: _datetime("timestamp_micros", "({v} - pmod({v}, 1000L)) DIV 1000"),
}

_SEMANTIC: Final[Mapping[str, Callable[[Column, Types], ColumnConversion]]] = {
    **_TIMESTAMPS,
    names.CONNECT_DECIMAL: _decimal,
    names.CONNECT_DATE: _date,
    names.DATE: _date,
    names.CONNECT_TIME: _time("int", "CAST({v} AS BIGINT) * 1000"),
    names.TIME: _time("int", "CAST({v} AS BIGINT) * 1000"),
    names.MICRO_TIME: _time("bigint", "{v}"),
    names.NANO_TIME: _time("bigint", "{v} DIV 1000"),
    names.ZONED_TIMESTAMP: _text_as("timestamp"),
    names.ISO_DATE: lambda _, __: ColumnConversion(
        "string", "date", "try_cast(replace({v}, 'Z', '') AS DATE)"
    ),
    names.ISO_TIMESTAMP: _text_as("timestamp_ntz"),
    names.JSON: _json,
    names.ENUM_SET: _set,
    names.BITS: _bits,
    names.GEOMETRY: _geometry,
    names.POINT: _geometry,
}


def big_decimal(value: bytes | None, scale: int) -> str | None:
    """Return an unscaled number of any size as text; registered as a Spark UDF."""
    if value is None:
        return None
    unscaled = int.from_bytes(value, "big", signed=True)
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    whole, fraction = digits[: len(digits) - scale], digits[len(digits) - scale :]
    return "-" * (unscaled < 0) + whole + "." * bool(scale) + fraction
