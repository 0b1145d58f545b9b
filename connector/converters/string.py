"""Kafka Connect's StringConverter: a value as Java's ``toString`` writes it."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Any, Final

from connector.config import ConfigDef, ConfigKey, invalid
from connector.converters.header_values import HeaderValues
from connector.data.java import date_text, decimal_text, double_text, float_text
from connector.data.schema import Schema
from connector.data.semantic import JAVA_DATES, misses_type
from connector.names import BITS, CONNECT_DECIMAL, GEOMETRY, POINT

_JAVA_CODECS: Final = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}


def _known_charset(name: str, value: str) -> str | None:
    try:
        "".encode(value)
    except (LookupError, ValueError):  # ValueError: a null character
        return str(invalid(name, value, "unknown character set: use UTF-8, for example"))
    return None


def _encoder(charset: str) -> Callable[[str], bytes]:
    """Return ``String.getBytes`` of a character set: what it does not have becomes a ``?``."""
    codec = codecs.lookup(charset).name
    encode = codecs.getencoder(_JAVA_CODECS.get(codec, codec))
    if codec == "utf-16":  # the byte order mark stands before a text, not before nothing
        return lambda text: codecs.BOM_UTF16_BE + encode(text, "replace")[0] if text else b""
    return lambda text: encode(text, "replace")[0]


class StringConverter(HeaderValues):
    """Writes the text of a value in a character set."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "converter.encoding", "STRING", "UTF-8", "HIGH", "The character set.",
                width="MEDIUM", display_name="Encoding", validator=_known_charset,
            )
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str] | None = None) -> None:
        self._encode = _encoder(self.config_def.parse(config or {})["converter.encoding"])

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002 - other converters need the topic
        """Return the bytes of a key or value, None for null."""
        return None if value is None else self._encode(java_text(schema, value))


def java_text(schema: Schema | None, value: Any) -> str:
    """Return ``String.valueOf`` of a Connect value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value) if schema and schema.type == "float32" else double_text(value)
    if isinstance(value, bytes):
        return _bytes(schema, value)
    if schema is None:
        return _schemaless(value)
    if isinstance(value, int):
        return _number(schema, value)
    if schema.type == "struct":
        return _struct(schema, value)
    if schema.type == "array":
        return "[" + ", ".join(java_text(schema.items, member) for member in value) + "]"
    if schema.type == "map":
        pairs = (
            f"{java_text(schema.keys, key)}={java_text(schema.items, member)}"
            for key, member in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    return str(value)


def _struct(schema: Schema, value: Mapping[str, Any]) -> str:
    # of these the bytes are an array, as those of a BIT column
    holds_arrays = schema.name in (GEOMETRY, POINT)
    members = []
    for field in schema.fields:
        found = value.get(field.name)
        if found is not None:
            is_array = holds_arrays and isinstance(found, bytes)
            text = _array(found) if is_array else java_text(field.schema, found)
            members.append(f"{field.name}={text}")
    return "Struct{" + ",".join(members) + "}"


def _bytes(schema: Schema | None, value: bytes) -> str:
    """Return the text of a buffer; Debezium has an array for BIT."""
    if schema is not None and schema.name == BITS:
        return _array(value)
    size = len(value)
    return f"java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]"


def _array(value: bytes) -> str:
    """Return the text of an array, which has its address."""
    return f"[B@{id(value) & 0xFFFFFFFF:x}"


def _number(schema: Schema, value: int) -> str:
    if misses_type(schema):
        return str(value)
    if schema.name == CONNECT_DECIMAL:
        return decimal_text(value, int((schema.parameters or {}).get("scale", "0")))
    if schema.name in JAVA_DATES:
        return date_text(value * JAVA_DATES[schema.name])
    return str(value)


def _schemaless(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{key}={java_text(None, member)}" for key, member in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(java_text(None, member) for member in value) + "]"
    return str(value)
