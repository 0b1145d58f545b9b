"""Which Java class stands for a value, for errors and for rules that depend on the class."""

from __future__ import annotations

from typing import Any, Final

from connector import names
from connector.data.schema import Schema, Type
from connector.data.semantic import JAVA_DATES, misses_type
from connector.names import CONNECT_DECIMAL

_CLASSES: Final[dict[Type, str]] = {
    "boolean": "java.lang.Boolean",
    "int8": "java.lang.Byte",
    "int16": "java.lang.Short",
    "int32": "java.lang.Integer",
    "int64": "java.lang.Long",
    "float32": "java.lang.Float",
    "float64": "java.lang.Double",
    "string": "java.lang.String",
    "bytes": "java.nio.HeapByteBuffer",
    "array": "java.util.ArrayList",
    "map": "java.util.HashMap",
    "struct": "org.apache.kafka.connect.data.Struct",
}


def java_class(schema: Schema | None, value: Any) -> str:
    """Return the name of the class that Java has for a value."""
    if value is None:
        return "null"
    if schema is None:
        return _class_of(value)
    if misses_type(schema):
        return _CLASSES[schema.type]
    if schema.name == CONNECT_DECIMAL:
        return "java.math.BigDecimal"
    if schema.name == names.BITS:
        return "[B"
    return "java.util.Date" if schema.name in JAVA_DATES else _CLASSES[schema.type]


def _class_of(value: Any) -> str:
    if isinstance(value, bool):
        return _CLASSES["boolean"]
    kinds: tuple[tuple[type, Type], ...] = (
        (int, "int64"),
        (float, "float64"),
        (str, "string"),
        (bytes, "bytes"),
        (list, "array"),
    )
    return next(
        (_CLASSES[name] for kind, name in kinds if isinstance(value, kind)), _CLASSES["map"]
    )


def schema_text(schema: Schema) -> str:
    """Return ``Schema.toString``."""
    kind = schema.type.upper()
    return f"Schema{{{schema.name}:{kind}}}" if schema.name else f"Schema{{{kind}}}"
