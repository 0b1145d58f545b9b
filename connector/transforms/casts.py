"""Converts values to other types as Kafka Connect's Cast does."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final

from connector.data.java import (
    connect_date_text,
    decimal_text,
    double_text,
    float_text,
    to_float32,
)
from connector.data.java_numbers import (
    BITS,
    decimal_float,
    decimal_integer,
    from_float,
    parse_float,
    parse_integer,
    wrap,
)
from connector.data.java_types import java_class
from connector.data.schema import Schema, Type
from connector.data.semantic import JAVA_DATES
from connector.errors import TransformError
from connector.names import CONNECT_DECIMAL
from connector.transforms.part import Convert

TARGETS: Final[tuple[Type, ...]] = (
    "int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string",
)  # fmt: skip
_SOURCES: Final = (*TARGETS, "bytes")


def cast(schema: Schema, target: Type) -> Convert:
    """Return the function that converts values of a schema; None stays None.

    :raises TransformError: by the function, for a value that cannot be converted.
    """
    convert = _conversion(schema, target)

    def converted(value: Any) -> Any:
        if value is None:
            return None
        try:
            return convert(value)
        except ValueError:
            raise TransformError(f"A {schema.type} was out of range for {target}") from None

    return converted


def _conversion(schema: Schema, target: Type) -> Convert:
    if schema.type not in _SOURCES:
        return _failing(
            f"Cast transformation does not support casting from {schema.type.upper()}; supported "
            f"types are [{', '.join(name.upper() for name in _SOURCES)}]"
        )
    if target == "string":
        return _to_text(schema)
    if schema.name == CONNECT_DECIMAL:
        scale = int((schema.parameters or {}).get("scale", "0"))
        return _from_decimal(scale, target)
    if schema.type == "bytes":
        kind = java_class(schema, b"")
        return _failing(f"Unexpected type in Cast transformation: class {kind}")
    if schema.type == "string":
        return _from_text(target)
    if schema.type in ("float32", "float64"):
        return _from_float(target)
    return _from_integer(target)


def _failing(message: str) -> Convert:
    def fail(_: Any) -> Any:
        raise TransformError(message)

    return fail


def _to_text(schema: Schema) -> Convert:
    if schema.name == CONNECT_DECIMAL:
        scale = int((schema.parameters or {}).get("scale", "0"))
        return lambda value: decimal_text(value, scale)
    if schema.name in JAVA_DATES:
        unit = JAVA_DATES[schema.name]
        return lambda value: connect_date_text(value * unit)
    if schema.type == "bytes":
        return lambda value: b64encode(value).decode()
    if schema.type == "boolean":
        return lambda value: "true" if value else "false"
    texts: dict[Type, Convert] = {"float32": float_text, "float64": double_text}
    return texts.get(schema.type, str)


def _from_integer(target: Type) -> Convert:
    """Convert integers, booleans and the numbers that dates are."""
    if target in BITS:
        bits = BITS[target]
        return lambda value: wrap(int(value), bits)
    if target == "float32":
        return lambda value: to_float32(float(value))
    return float if target == "float64" else bool


def _from_float(target: Type) -> Convert:
    if target in BITS:
        bits = BITS[target]
        return lambda value: from_float(value, bits)
    if target == "float32":
        return to_float32
    if target == "float64":
        return float
    return lambda value: from_float(value, 64) != 0


def _from_decimal(scale: int, target: Type) -> Convert:
    if target in BITS:
        bits = BITS[target]
        return lambda value: wrap(decimal_integer(value, scale), bits)
    if target == "float32":
        return lambda value: to_float32(decimal_float(value, scale))
    if target == "float64":
        return lambda value: decimal_float(value, scale)
    return lambda value: wrap(decimal_integer(value, scale), 64) != 0


def _from_text(target: Type) -> Convert:
    if target in BITS:
        bits = BITS[target]
        return lambda value: parse_integer(value, bits)
    if target == "float32":
        return lambda value: to_float32(parse_float(value))
    if target == "float64":
        return parse_float
    return lambda value: value.lower() == "true"
