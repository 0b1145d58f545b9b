"""Values that a log event lacks, or has as NULL, read again from their table.

What is found is the row as it is now, which may be newer than the event, as in Debezium.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.change import Row
from connector.capture.columns import ColumnCodec
from connector.capture.table_schema import TableEventSchema
from connector.errors import DatabaseUnavailableError, ReselectError, StopError
from connector.mysql.reselection.post_processors import Reselect
from connector.mysql.reselection.primary_keys import sql_value
from connector.mysql.session.connection import Connection, ConnectionSettings, code_of, quote
from connector.mysql.session.text_rows import TextRows

log = logging.getLogger(__name__)

_MOST_TABLES: Final = 2_000
_FRESH: Final = 2_000_000  # microseconds; MariaDB tells whole seconds
_PATIENCE: Final = (0.002, 0.01, 0.03)  # seconds between looks for a row that was just written

Pairs = list[tuple[Row | None, Row | None]]


class Reselection:
    """Applies the post-processors of a connector to the rows of log events.

    It has a session of its own, opened when it is first needed and again when it was lost.
    ``placeholder`` is what stands for a text or bytes that the log does not hold. With
    ``skips_unchanged`` an update of nothing is left alone, as its event is never made.
    """

    def __init__(
        self,
        settings: ConnectionSettings,
        processors: Sequence[Reselect],
        placeholder: bytes,
        *,
        skips_unchanged: bool = False,
    ) -> None:
        self._settings = settings
        self._processors = processors
        self._placeholders = (placeholder, placeholder.decode("utf-8", "replace"))
        self._skips_unchanged = skips_unchanged
        self._lookups: dict[TableEventSchema, list[_Lookup]] = {}
        self._connection: Connection | None = None

    def completed(
        self, codec: TableEventSchema, rows: Pairs, lacking: frozenset[int], micros: int
    ) -> Pairs:
        """Return the rows of an event with what was read for them.

        :param lacking: the slots that the log holds neither before nor after the change.
        :param micros: the database's time of the event.
        :raises ReselectError: a row cannot be read, and that is to be an error.
        :raises DatabaseUnavailableError: the database does not answer.
        """
        for lookup in self._of(codec):
            rows = [
                (before, after and self._row(lookup, before, after, lacking, micros))
                for before, after in rows
            ]
        return rows

    def close(self) -> None:
        """Close the session."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _of(self, codec: TableEventSchema) -> list[_Lookup]:
        """Return what may be read for the rows of a version of a table."""
        known = self._lookups.get(codec)
        if known is None:
            if len(self._lookups) >= _MOST_TABLES:  # the oldest makes room
                del self._lookups[next(iter(self._lookups))]
            found = (_Lookup(codec, each, self._placeholders) for each in self._processors)
            self._lookups[codec] = known = [lookup for lookup in found if lookup.slots]
        return known

    def _row(
        self, lookup: _Lookup, before: Row | None, after: Row, lacking: frozenset[int], micros: int
    ) -> Row:
        slots = lookup.needed(after, lacking)
        if not slots or (self._skips_unchanged and lookup.is_unchanged(before, after)):
            return after
        try:
            found = self._found(lookup, slots, after, micros)
        except StopError as error:
            number = code_of(error)  # the server's own text may hold values of the row
            lookup.failed(f"columns cannot be read again: {f'error {number}' if number else error}")
            return after
        if found is None:
            lookup.failed("the row to read columns of again is not in the table any more")
            return after
        values = list(after)
        for slot, value in zip(slots, found, strict=True):
            values[slot] = value
        return tuple(values)

    def _found(self, lookup: _Lookup, slots: tuple[int, ...], row: Row, micros: int) -> Row | None:
        """Read a row; one of a transaction that the server is about to finish is waited for.

        An event can be read from the log a moment before other sessions see its row.
        """
        found = self._read(lookup, slots, row)
        for pause in _PATIENCE:
            if found is not None or time.time() * 1_000_000 - micros > _FRESH:
                break
            time.sleep(pause)
            found = self._read(lookup, slots, row)
        return found

    def _read(self, lookup: _Lookup, slots: tuple[int, ...], row: Row) -> Row | None:
        try:
            return lookup.read(self._session(), slots, row)
        except DatabaseUnavailableError:  # it may have been idle for too long
            self.close()
            return lookup.read(self._session(), slots, row)

    def _session(self) -> Connection:
        if self._connection is None:
            self._connection = Connection(self._settings)
            self._connection.execute("SET time_zone='+00:00'")
        return self._connection


class _Lookup:
    """How one processor reads the rows of one version of a table; without slots, it reads none."""

    def __init__(
        self, codec: TableEventSchema, processor: Reselect, placeholders: tuple[bytes, str]
    ) -> None:
        self._codec = codec
        self._processor = processor
        self._keys = _keys(codec, processor)
        self._readers: dict[tuple[int, ...], _Reader] = {}
        derived = {slot for slot, _, _ in codec.derived}
        names = [field.name for field in codec.value_schema.fields]
        wanted = [
            _Slot(slot, codec.columns[slot], placeholders)
            for slot, name in enumerate(names)
            if slot not in derived and processor.wants(f"{codec.table.id}:{name}")
        ]
        self.slots = wanted if codec.key_schema is not None else []

    def needed(self, row: Row, lacking: frozenset[int]) -> tuple[int, ...]:
        """Return the slots of a row whose values are to be read."""
        of = self._processor
        return tuple(
            slot.number
            for slot in self.slots
            if (of.unavailable and (slot.number in lacking or slot.is_placeholder(row)))
            or (of.nulls and slot.is_null(row))
        )

    def is_unchanged(self, before: Row | None, after: Row) -> bool:
        """Whether an update changes no value of the event."""
        width = len(self._codec.value_schema.fields)
        return before is not None and before[:width] == after[:width]

    def read(self, connection: Connection, slots: tuple[int, ...], row: Row) -> Row | None:
        """Read columns of a row by its key; None when there is no such row.

        :raises StopError: the server refuses, or the table has no key.
        """
        table = self._codec.table.id
        if not self._keys:
            raise StopError(
                f"Table {table} has no primary key.", "Set reselect.use.event.key=true."
            )
        reader = self._readers.get(slots)
        if reader is None:
            reader = _Reader([self._codec.columns[slot] for slot in slots])
            self._readers[slots] = reader
        return reader.read(connection, table.quoted("`"), self._keys, row)

    def failed(self, what: str) -> None:
        """Tell that a row could not be completed.

        :raises ReselectError: that is to be an error.
        """
        message = f"Table {self._codec.table.id}: {what}."
        if self._processor.fails:
            raise ReselectError(message) from None
        log.warning("%s Its event is left as it is in the log.", message)


@dataclass(frozen=True, slots=True)
class _Slot:
    """One column that may be read again."""

    number: int
    column: ColumnCodec
    placeholders: tuple[bytes, str]

    def is_placeholder(self, row: Row) -> bool:
        """Whether the value says that the log does not hold it."""
        unavailable = self.column.unavailable
        return unavailable in self.placeholders and row[self.number] == unavailable

    def is_null(self, row: Row) -> bool:
        """Whether the value is NULL; one with a default is never seen as NULL in Java."""
        return row[self.number] is None and self.column.schema.default is None


class _Reader:
    """Reads some columns of single rows of a table."""

    def __init__(self, columns: Sequence[ColumnCodec]) -> None:
        self._columns = ", ".join(codec.sql(quote(codec.column.name)) for codec in columns)
        self._rows = TextRows([codec.selected() for codec in columns])

    def read(
        self, connection: Connection, table: str, keys: Iterable[_Key], row: Row
    ) -> Row | None:
        """Return the values of the row with this key, None when there is none."""
        key = " AND ".join(f"{key.name}={connection.literal(key.value(row))}" for key in keys)
        sql = f"SELECT {self._columns} FROM {table} WHERE {key} LIMIT 1"  # noqa: S608 - names are quoted, values escaped
        stream = connection.read_rows(sql)
        found = [values for batch in self._rows.read(stream) for values in batch]
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class _Key:
    """One column of a key: its quoted name, its slot, and what its value is in SQL."""

    name: str
    slot: int
    in_sql: Callable[[Any], Any]

    def value(self, row: Row) -> Any:
        """Return the value to compare with."""
        value = row[self.slot]
        return None if value is None else self.in_sql(value)


def _keys(codec: TableEventSchema, processor: Reselect) -> list[_Key]:
    """Return what finds a row; the slots of the key hold values as they were read."""
    slots = {codec.columns[slot].column.name: slot for slot in range(len(codec.columns))}
    slots |= {codec.columns[slot].column.name: slot for slot in codec.key_slots}
    if processor.event_key:
        names = [codec.columns[slot].column.name for slot in codec.key_slots]
    else:
        found = map(codec.table.column, codec.table.primary_key)
        names = [column.name for column in found if column is not None]
    if not slots.keys() >= set(names):
        return []
    columns = [codec.columns[slots[name]] for name in names]
    return [
        _Key(quote(name), slots[name], sql_value(column))
        for name, column in zip(names, columns, strict=True)
    ]
