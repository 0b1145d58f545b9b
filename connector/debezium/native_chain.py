"""Rows of a chain that the native core writes: those whose columns a chain only arranges.

Such a chain makes one message of a row. Its key and value are structs of columns and constants;
before and behind the columns of the value there may be what all rows of an event share. Chains
like unwrap, route, mask and rename lead to such messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from connector import native
from connector.capture.table_schema import TableEventSchema
from connector.codegen import Expression
from connector.data.fragments import NativeFragments
from connector.data.record import EncodeHeader, Message, Record
from connector.data.schema import Schema
from connector.data.symbolic import CONSTANT, ROW, Symbol, scope_of
from connector.debezium.message_code import MessageCode, PartConverter, Piece, StructCode
from connector.debezium.native_messages import FieldText, is_plain
from connector.errors import ConversionError
from connector.native import Rows, RowWriter

_OF_COLUMN: Final = r"(after\[\d+\]|#)"
_DEFAULTED: Final = re.compile(rf"\(@\w+ if \(v := {_OF_COLUMN}\) is None else v\)")
_REPLACED: Final = re.compile(rf"\(None if {_OF_COLUMN} is None else @\w+\)")
_COLUMN: Final = re.compile(r"\bafter\[(\d+)\]")
_NAME: Final = re.compile(r"@\w+")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_LOCAL: Final = frozenset(("None", "if", "else", "is", "v", "value"))  # of expressions of symbols


class NativeChain(NamedTuple):
    """Writes the rows of one kind; ``bind`` returns what the rows of an event share.

    ``is_constant``: it returns the same for all events.
    """

    writer: RowWriter
    bind: Callable[..., tuple[bytes, bytes, str, Any]]
    is_constant: bool

    def messages(self, rows: Rows, event: tuple[Any, ...]) -> Sequence[Message] | None:
        """Return the messages of an event's rows; None where the key of a row may change."""
        opening, rest, topic, headers = self.bind(*event)
        return self.writer.messages(rows, (opening, None, rest, None, b""), topic, headers, None)


class _ArrangedColumn(NamedTuple):
    """A column of the row, and what the chain makes of its value: a ``change``, if it does.

    ``is_kept``: all values but NULL stay. ``is_replaced``: it makes the same of all but NULL.
    """

    slot: int
    change: Callable[[Any], Any] | None
    is_kept: bool
    is_replaced: bool


class _Columns(NamedTuple):
    """The fields of a struct that the core writes, and the pieces before and behind them."""

    before: list[Piece]
    fields: list[native.NativeField]
    behind: list[Piece]
    slots: set[int]


def native_chain(
    codec: TableEventSchema,
    record: Record,
    converters: tuple[PartConverter, PartConverter, EncodeHeader],
) -> NativeChain | None:
    """Return what writes rows whose only message is this record of symbols; None: Python does."""
    values, keys, _ = converters
    schema = record.value_schema
    if not native.AVAILABLE or any(scope_of(header.value) == ROW for header in record.headers):
        return None
    if not isinstance(values, NativeFragments) or schema is None:
        return None
    code = MessageCode(*converters)
    value = _columns(codec, code, values, schema, record.value)
    key = _key(codec, code, keys, record)
    parts = (codec.key_schema, record.key_schema, record.key)
    if value is None or (key is None and any(part is not None for part in parts)):
        return None
    writer = native.row_writer(key, (b"", value.fields, b""), Message)
    assert writer is not None
    start, end = values.frame(schema, record.topic)
    opening = code.joined([(CONSTANT, start + values.present(schema)), *value.before])
    rest = code.joined([*value.behind, (CONSTANT, values.close(schema) + end)])
    shared = (opening, rest, code.bound(record.topic), code.headers(record.headers))
    bind = code.compile_event(shared)
    return NativeChain(writer, bind, not code.depends_on_events)


def _key(
    codec: TableEventSchema, code: MessageCode, keys: PartConverter, record: Record
) -> native.NativeStruct | None:
    """Describe a key by which the core sees that the table's key changes."""
    schema = record.key_schema
    if schema is None or not isinstance(keys, NativeFragments):
        return None
    found = _columns(codec, code, keys, schema, record.key)
    if found is None or not found.slots.issuperset(codec.key_slots):
        return None
    before, behind = _constant(found.before), _constant(found.behind)
    if before is None or behind is None:
        return None
    start, end = keys.frame(schema, record.topic)
    opening = start + keys.present(schema) + before
    return opening, found.fields, behind + keys.close(schema) + end


def _columns(
    codec: TableEventSchema,
    code: MessageCode,
    fragments: NativeFragments,
    schema: Schema,
    struct: Any,
) -> _Columns | None:
    """Split a struct; None if the core cannot write what depends on the row."""
    if schema.type != "struct" or not isinstance(struct, dict) or not is_plain(schema):
        return None
    found = _Columns([], [], [], set())
    values = [struct.get(field.name) for field in schema.fields]
    for index, value in enumerate(values):
        if scope_of(value) != ROW and not isinstance(value, dict):
            piece = StructCode(code, fragments).part(schema, values, index, index + 1)
            (found.behind if found.fields else found.before).append(piece)
            continue
        column, lead = _column(value), _constant(found.behind)
        if column is None or lead is None:
            return None
        found.behind.clear()
        found.fields.append(_field(codec, fragments, schema, index, column, lead))
        if column.is_kept:
            found.slots.add(column.slot)
    return found if found.fields else None


def _column(value: Any) -> _ArrangedColumn | None:
    """Return which column a value is, or a change of it; None if it is anything else."""
    if value.__class__ is not Symbol:
        return None
    template, names = value.expression.template, value.expression.names
    found = set(_COLUMN.findall(template))
    others = set(_WORD.findall(_NAME.sub("", _COLUMN.sub("", template))))
    if len(found) != 1 or others - _LOCAL:
        return None
    slot = int(found.pop())
    plain = f"after[{slot}]"
    if template == plain:
        return _ArrangedColumn(slot, None, is_kept=True, is_replaced=False)
    change = Expression(_COLUMN.sub("{}", template), names).function()
    rest = _where_not_null(template)
    return _ArrangedColumn(slot, change, is_kept=rest == plain, is_replaced=rest == "#")


def _where_not_null(template: str) -> str:
    """Return what is left where the column is not null: # stands for what does not depend on it."""
    before = ""
    while template != before:
        before = template
        template = _REPLACED.sub("#", _DEFAULTED.sub(r"\1", template))
    return template


def _field(
    codec: TableEventSchema,
    fragments: NativeFragments,
    schema: Schema,
    index: int,
    column: _ArrangedColumn,
    lead: bytes,
) -> native.NativeField:
    """Describe a column behind constants; Python writes it if the chain changes it by value."""
    own, (slot, change, is_kept, is_replaced) = schema.fields[index].schema, column
    text: Callable[[Any], bytes] = FieldText(fragments, schema, index)
    if lead or change is not None:
        text = _changed(lead, text, change)
    label = lead + fragments.label(schema, index) + fragments.present(own)
    write = fragments.native_write(own) if is_kept and _has_schema_of(codec, slot, own) else None
    if is_replaced:
        with suppress(ConversionError):  # Python raises it for the first value
            label, write = text(True), "fixed"
    known = codec.columns[slot]
    return label, write, slot, text, known.absent, known.unavailable


def _has_schema_of(codec: TableEventSchema, slot: int, schema: Schema) -> bool:
    """Whether a schema is that of a column, in the row or in the key."""
    # Behind the columns of the row are those that only the key has.
    known = [field.schema for field in codec.value_schema.fields[slot : slot + 1]]
    if codec.key_schema is not None and slot in codec.key_slots:
        known.append(codec.key_schema.fields[codec.key_slots.index(slot)].schema)
    return schema.parts() in [one.parts() for one in known]


def _changed(
    lead: bytes, text: Callable[[Any], bytes], change: Callable[[Any], Any] | None
) -> Callable[[Any], bytes]:
    if change is None:
        return lambda value: lead + text(value)
    return lambda value: lead + text(change(value))


def _constant(pieces: Sequence[Piece]) -> bytes | None:
    """Return the bytes of pieces; None if they differ between events."""
    if any(scope != CONSTANT for scope, _ in pieces):
        return None
    return b"".join(data for _, data in pieces)
