"""Prepares values for orjson where it differs from Jackson, and writes them."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from orjson import Fragment, JSONEncodeError, dumps

from connector.data.decimals import unscaled_bytes
from connector.data.java import double_text, float_text
from connector.data.java_types import java_class
from connector.data.schema import Schema
from connector.errors import ConversionError
from connector.names import CONNECT_DECIMAL


def refuse_null(_: None) -> Any:
    """Refuse a null that nothing replaces."""
    raise ConversionError(
        "Conversion error: null value for field that is required and has no default value"
    )


def refuse_misnamed(schema: Schema) -> Callable[[Any], Any]:
    """Return what refuses a value whose schema has the name of another type."""
    name = str(schema.name).rpartition(".")[2]
    expected = "BigDecimal" if schema.name == CONNECT_DECIMAL else "Date"
    kind = java_class(schema, "")

    def fail(_: Any) -> Any:
        raise ConversionError(f"Invalid type for {name}, expected {expected} but was class {kind}")

    return fail


def same(value: Any) -> Any:
    """Return a value that needs no preparation."""
    return value


def prepare_double(value: float) -> Any:
    """Write a double in Java's notation."""
    return _quoted_if_special(double_text(value))


def prepare_float(value: float) -> Any:
    """Write a float in Java's notation."""
    return _quoted_if_special(float_text(value))


def _quoted_if_special(text: str) -> Any:
    """Jackson writes NaN and the infinities as strings."""
    return text if text[-1] in "yN" else Fragment(text)


def prepare_bytes(value: bytes) -> str:
    """Write bytes in base64."""
    return b2a_base64(value, newline=False).decode()


def write_unscaled(value: int) -> str:
    """Write the bytes of an unscaled decimal in base64."""
    return prepare_bytes(unscaled_bytes(value))


def prepare_schemaless(value: Any) -> Any:
    """Prepare a value that has no schema, with all its members."""
    if isinstance(value, bytes):
        return prepare_bytes(value)
    if isinstance(value, float):
        return prepare_double(value)
    if isinstance(value, Mapping):
        return {str(key): prepare_schemaless(member) for key, member in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [prepare_schemaless(member) for member in value]
    return value


def write_json(value: Any) -> bytes:
    """Write a prepared value.

    :raises ConversionError: orjson refuses it.
    """
    try:
        return dumps(value)
    except JSONEncodeError as error:
        raise json_error(error) from None


def json_error(error: JSONEncodeError) -> ConversionError:
    """Return our error for one of orjson."""
    return ConversionError(f"a value cannot be written as JSON: {error}")
