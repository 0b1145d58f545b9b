"""Composes the native core's writer of a table's messages, from what the converters can write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from connector import native
from connector.capture.table_schema import TableEventSchema
from connector.data.fragments import Encode, Fragments, NativeFragments
from connector.data.record import Message
from connector.data.schema import Schema
from connector.native import RowWriter

_STRUCTS = range(3)  # of an envelope: before, after, source


class FieldText:
    """Writes a field with its label; compiled when it is first called, as most never are.

    The core calls it once for a null, and keeps the bytes: for that alone no function is kept.
    """

    __slots__ = ("_fragments", "_index", "_schema", "_write")

    def __init__(self, fragments: Fragments, schema: Schema, index: int) -> None:
        self._fragments = fragments
        self._schema = schema
        self._index = index
        self._write: Encode | None = None

    def __call__(self, value: Any) -> bytes:
        """Return the bytes of a value, with the label."""
        write = self._write
        if write is None:
            write = self._fragments.part(self._schema, self._index, self._index + 1)
            if value is not None:
                self._write = write
        return write((*(None,) * self._index, value))


def row_writer(
    codec: TableEventSchema, values: Fragments, keys: Fragments | None
) -> RowWriter | None:
    """Return the native writer for a table; None if Python writes its messages.

    ``keys`` are None when a converter writes keys that cannot write parts.
    """
    if not native.AVAILABLE or not isinstance(values, NativeFragments):
        return None
    if not is_plain(codec.value_schema):
        return None
    nested = (values.nested(codec.envelope_schema, index) for index in _STRUCTS)
    if any(wrap is not None for wrap in nested):
        return None
    value = _struct(values, codec.value_schema, codec, range(len(codec.value_schema.fields)))
    key = None
    if codec.key_schema is not None:
        if not isinstance(keys, NativeFragments) or not is_plain(codec.key_schema):
            return None
        before, after = keys.frame(codec.key_schema, codec.topic)
        opening, fields, closing = _struct(keys, codec.key_schema, codec, codec.key_slots)
        key = before + opening, fields, closing + after
    return native.row_writer(key, value, Message)


def is_plain(schema: Schema) -> bool:
    """Whether a struct has fields, each with a name of its own."""
    names = {field.name for field in schema.fields}
    return 0 < len(names) == len(schema.fields)


def _struct(
    fragments: NativeFragments, schema: Schema, codec: TableEventSchema, slots: Sequence[int]
) -> native.NativeStruct:
    """Describe a struct: the first fields have slots, the others are constants of the key.

    What stands before any value of a field is part of its label.
    """
    texts: list[Callable[[Any], bytes]] = [
        FieldText(fragments, schema, index) for index in range(len(schema.fields))
    ]
    fields = [
        (
            fragments.label(schema, index) + fragments.present(schema.fields[index].schema),
            fragments.native_write(schema.fields[index].schema),
            slot,
            texts[index],
            codec.columns[slot].absent,
            codec.columns[slot].unavailable,
        )
        for index, slot in zip(count(), slots)
    ]
    behind = zip(texts[len(slots) :], codec.key_constants, strict=False)
    constants = b"".join(text(constant) for text, constant in behind)
    return b"", fields, constants + fragments.close(schema)
