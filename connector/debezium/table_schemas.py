"""From a table's definition to the shape of its events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.selection import Selection, any_of
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table, TableId
from connector.data.avro_names import Adjust, unadjusted
from connector.data.schema import STRING, Schema, struct
from connector.debezium.column_rules import ColumnRules
from connector.debezium.schemas import envelope
from connector.debezium.topics import TopicNaming
from connector.errors import ConfigError

log = logging.getLogger(__name__)

_MAX_CODECS = 2_000  # of 10 kB each; what is built again is equal

KeyColumns = Callable[[Table], Sequence[Column]]


@dataclass(frozen=True, slots=True)
class SchemaOptions:
    """What users want of the schemas: rules for columns, and names that Avro takes."""

    rules: ColumnRules = field(default_factory=ColumnRules)
    schema_name: Adjust = unadjusted
    field_name: Adjust = unadjusted


class TableSchemas:
    """Builds the codec of each version of a table once.

    ``codec_of`` returns the codec of a column, or None if its type cannot be captured.
    """

    def __init__(
        self,
        naming: TopicNaming,
        source: Schema,
        selection: Selection,
        codec_of: Callable[[TableId, Column], ColumnCodec | None],
        key_columns: KeyColumns,
        options: SchemaOptions | None = None,
    ) -> None:
        self._naming = naming
        self._source = source
        self._selection = selection
        self._codec_of = codec_of
        self._key_columns = key_columns
        self._options = options or SchemaOptions()
        self._built: dict[TableId, tuple[Table, TableEventSchema]] = {}

    def of(self, table: Table) -> TableEventSchema:
        """Return the codec of this version of a table."""
        known = self._built.get(table.id)
        if known is None or known[0] is not table:
            self._built.pop(table.id, None)
            if len(self._built) >= _MAX_CODECS:  # the oldest makes room
                del self._built[next(iter(self._built))]
            self._built[table.id] = known = (table, self._build(table))
        return known[1]

    def _build(self, table: Table) -> TableEventSchema:
        codecs = {column.name: self._codec(table, column) for column in table.columns}
        rules = self._options.rules
        in_value = [
            rules.apply(table.id, codec)
            for name, codec in codecs.items()
            if codec is not None and self._selection.captures_column(table.id, name)
        ]
        in_key = [codecs[column.name] for column in self._key_columns(table)]
        keys = [codec for codec in in_key if codec is not None]
        columns = [*in_value]
        slots = [_slot(columns, codec) for codec in keys]
        topic = self._naming.data_change(table.id)
        named = self._options.schema_name
        value = struct(named(f"{topic}.Value"), *map(self._field, in_value), optional=True)
        key_field = self._naming.key_field
        key_fields = [*map(self._field, keys), *([(key_field, STRING)] if key_field else [])]
        return TableEventSchema(
            table=table,
            topic=topic,
            key_schema=struct(named(f"{topic}.Key"), *key_fields) if key_fields else None,
            value_schema=value,
            envelope_schema=envelope(named(f"{topic}.Envelope"), value, self._source),
            columns=tuple(columns),
            key_slots=tuple(slots),
            key_constants=(self._naming.key_value(table.id),) if key_field else (),
            derived=tuple(_derived(columns, in_value)),
            hides_values=any(rules.hides(table.id, column) for column in table.columns),
        )

    def _field(self, codec: ColumnCodec) -> tuple[str, Schema]:
        return self._options.field_name(codec.column.name), codec.schema

    def _codec(self, table: Table, column: Column) -> ColumnCodec | None:
        codec = self._codec_of(table.id, column)
        if codec is None:
            log.warning(
                "Column %s of table %s has a type that cannot be captured (%s): it is left out",
                column.name,
                table.id,
                column.type_name,
            )
        return codec


def _slot(columns: list[ColumnCodec], codec: ColumnCodec) -> int:
    """Return where a row has the value of a key column, which is always as it was read.

    A column that is not in the value, or is changed by a rule there, is appended.
    """
    for slot, known in enumerate(columns):
        if known.column is codec.column and (known.from_text, known.after) == (
            codec.from_text,
            codec.after,
        ):
            return slot
    columns.append(codec)
    return len(columns) - 1


def _derived(
    columns: list[ColumnCodec], in_value: list[ColumnCodec]
) -> Iterator[tuple[int, int, Callable[[Any], Any]]]:
    """Yield the slots of the value whose column is in the key, too, but as it was read."""
    for source in range(len(in_value), len(columns)):
        for slot, codec in enumerate(in_value):
            if codec.column is columns[source].column:
                yield slot, source, _derivation(codec)


def _derivation(codec: ColumnCodec) -> Callable[[Any], Any]:
    change = codec.after.function() if codec.after else lambda _: codec.absent
    return lambda value: codec.absent if value is None else change(value)


def key_columns(setting: str | None) -> KeyColumns:
    """Read ``message.key.columns``: ``table:column,column;table:column``, tables as patterns.

    Tables that no pattern fits have their primary key, or else a unique key without NULLs.

    :raises ConfigError: the text has another form.
    """
    if not setting:
        return _primary_key
    matchers = []
    for part in filter(str.strip, setting.split(";")):
        table, colon, columns = part.rpartition(":")
        if not colon or not table.strip() or not columns.strip():
            raise ConfigError(
                f"Invalid value {setting} for configuration message.key.columns: "
                f"{part.strip()} is not of the form table:column,column"
            )
        matchers += [
            any_of("message.key.columns", f"{table.strip()}.{column.strip()}")
            for column in columns.split(",")
        ]

    def choose(table: Table) -> Sequence[Column]:
        chosen = dict.fromkeys(  # a column that two patterns fit is one part of the key
            column
            for matches in matchers
            for column in table.columns
            if matches(f"{table.id}.{column.name}")
        )
        return list(chosen) or _primary_key(table)

    return choose


def _primary_key(table: Table) -> Sequence[Column]:
    found = (table.column(name) for name in table.primary_key)
    return [column for column in found if column is not None]
