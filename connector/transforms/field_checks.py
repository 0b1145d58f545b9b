"""Checks of values that a transform puts into fields of another schema, as Connect's structs do.

The rules are those of ``ConnectSchema.validateValue``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from connector.data.java_types import java_class
from connector.data.schema import BYTES, Field, Schema
from connector.data.semantic import bits
from connector.errors import TransformError

Check = Callable[[Any], Any]

_BYTES: Final = {java_class(schema, b"") for schema in (BYTES, bits(1))}


def check_of(source: Schema, field: Field) -> Check:
    """Return the function that refuses a value that does not fit a field; it returns others."""
    schema = field.schema
    name = f' "{schema.name}"' if schema.name else ""
    kind, expected = java_class(source, ""), java_class(schema, "")
    same_class = kind == expected or {kind, expected} <= _BYTES
    fits = same_class if schema.type != "struct" else source.same_as(schema)

    def check(value: Any) -> Any:
        if value is None and not schema.optional:
            raise TransformError(
                f'Invalid value: null used for required field: "{field.name}", schema type: '
                f"{schema.type.upper()}"
            )
        if value is None or fits:
            return value
        if same_class:
            raise TransformError("Struct schemas do not match.")
        raise TransformError(
            f"Invalid Java object for schema{name} with type {schema.type.upper()}: class {kind} "
            f'for field: "{field.name}"'
        )

    return check
