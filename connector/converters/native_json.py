"""What of JSON the native core writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from connector.data.fragments import Encode
from connector.data.schema import Schema
from connector.data.semantic import is_geometry, misses_type
from connector.names import CONNECT_DECIMAL
from connector.native import part_writer

_WRITES: Final = {
    **dict.fromkeys(("boolean", "int8", "int16", "int32", "int64", "string"), "plain"),
    "bytes": "base64",
    "float64": "double",
    "float32": "float",
}


def native_write(schema: Schema, *, numeric: bool) -> str | None:
    """Return how the core writes a value; None for one that it does not know.

    :param numeric: decimals are numbers.
    """
    if misses_type(schema):
        return None
    if schema.name == CONNECT_DECIMAL:
        return None if numeric else "unscaled"
    if schema.type == "struct":
        return "geometry" if is_geometry(schema) else None
    return _WRITES.get(schema.type)


def native_part(
    start: int,
    schemas: list[Schema],
    labels: list[bytes],
    null: Callable[[Schema], bytes],
    python: Encode,
) -> Encode:
    """Return the core's function for neighboring fields of plain values, or Python's for others.

    :param null: returns what stands for null.
    """
    if any(native_write(schema, numeric=True) != "plain" for schema in schemas):
        return python
    fields = [
        (label, "plain", label + null(schema))
        for label, schema in zip(labels, schemas, strict=True)
    ]
    return part_writer(start, fields, python)
