"""From a table's definition to the shape of its events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from connector.capture.columns import ColumnCodec
from connector.capture.rowcodec import RowCodec
from connector.capture.selection import Selection, any_of
from connector.capture.tables import Column, Table, TableId
from connector.data.schema import Schema, struct
from connector.debezium.schemas import envelope
from connector.debezium.topics import TopicNaming
from connector.errors import ConfigError

log = logging.getLogger(__name__)

KeyColumns = Callable[[Table], Sequence[Column]]


class TableSchemas:
    """Builds the codec of each version of a table once.

    ``codec_of`` tells how a column is read, or None when its type cannot be captured.
    """

    def __init__(
        self,
        naming: TopicNaming,
        source: Schema,
        selection: Selection,
        codec_of: Callable[[TableId, Column], ColumnCodec | None],
        key_columns: KeyColumns,
    ) -> None:
        self._naming = naming
        self._source = source
        self._selection = selection
        self._codec_of = codec_of
        self._key_columns = key_columns
        self._built: dict[TableId, tuple[Table, RowCodec]] = {}

    def of(self, table: Table) -> RowCodec:
        """Return the codec of this version of a table."""
        known = self._built.get(table.id)
        if known is None or known[0] is not table:
            self._built[table.id] = known = (table, self._build(table))
        return known[1]

    def forget(self, table: TableId) -> None:
        """Drop what was built for a table."""
        self._built.pop(table, None)

    def _build(self, table: Table) -> RowCodec:
        codecs = {column.name: self._codec(table, column) for column in table.columns}
        in_value = [
            codec
            for name, codec in codecs.items()
            if codec is not None and self._selection.captures_column(table.id, name)
        ]
        in_key = [codecs[column.name] for column in self._key_columns(table)]
        keys = [codec for codec in in_key if codec is not None]
        columns = in_value + [codec for codec in keys if codec not in in_value]
        topic = self._naming.data_change(table.id)
        value = struct(f"{topic}.Value", *map(_field, in_value), optional=True)
        return RowCodec(
            table=table,
            topic=topic,
            key_schema=struct(f"{topic}.Key", *map(_field, keys)) if keys else None,
            value_schema=value,
            envelope_schema=envelope(f"{topic}.Envelope", value, self._source),
            columns=tuple(columns),
            key_slots=tuple(columns.index(codec) for codec in keys),
        )

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


def _field(codec: ColumnCodec) -> tuple[str, Schema]:
    return codec.column.name, codec.schema


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
