"""Reads values that a log event lacks, or has as NULL, from their table.

It reads the present row, which may be newer than the event, as in Debezium.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.change import Row, RowPairs
from connector.capture.columns import ColumnCodec
from connector.capture.table_schema import TableEventSchema
from connector.errors import DatabaseUnavailableError, ReselectError, StopError
from connector.mysql.reselection.post_processors import ReselectOptions
from connector.mysql.reselection.primary_keys import sql_value
from connector.mysql.session.connection import Connection, code_of, quote
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.text_rows import TextRows

log = logging.getLogger(__name__)

_MOST_TABLES: Final = 2_000
_FRESH: Final = 2_000_000  # microseconds; MariaDB logs whole seconds
_PATIENCE: Final = (0.002, 0.01, 0.03)  # seconds between looks for a row that was just written


class Reselection:
    """Applies the post-processors of a connector to the rows of log events.

    It has a session of its own, opened when it is first needed and again when it was lost.
    ``placeholder`` replaces a text or bytes that the log does not contain. With
    ``skips_unchanged``, updates that change nothing are ignored: they cause no event.
    """

    def __init__(
        self,
        settings: ConnectionSettings,
        processors: Sequence[ReselectOptions],
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

    def complete(
        self, codec: TableEventSchema, rows: RowPairs, lacking: frozenset[int], micros: int
    ) -> RowPairs:
        """Return the rows of an event with the values that were read.

        :param lacking: the slots that the log holds neither before nor after the change.
        :param micros: the database's time of the event.
        :raises ReselectError: a row cannot be read, and the options make that an error.
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
        """Return the lookups for the rows of a version of a table."""
        known = self._lookups.get(codec)
        if known is None:
            if len(self._lookups) >= _MOST_TABLES:  # remove the oldest
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
            found = self._read_with_retries(lookup, slots, after, micros)
        except StopError as error:
            number = code_of(error)  # the server's own text may hold values of the row
            lookup.report_failure(
                f"columns cannot be reselected: {f'error {number}' if number else error}"
            )
            return after
        if found is None:
            lookup.report_failure(
                "columns cannot be reselected: the row is not in the table any more"
            )
            return after
        values = list(after)
        for slot, value in zip(slots, found, strict=True):
            values[slot] = value
        return tuple(values)

    def _read_with_retries(
        self, lookup: _Lookup, slots: tuple[int, ...], row: Row, micros: int
    ) -> Row | None:
        """Read a row; wait briefly for one whose transaction is about to be committed.

        An event can be in the log a moment before other sessions see its row.
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
        """Return the session, to the server that is captured now: a failover changes it."""
        if self._connection is not None and not self._connection.reaches_present_server:
            self.close()
        if self._connection is None:
            self._connection = Connection(self._settings)
            self._connection.execute("SET time_zone='+00:00'")
        return self._connection


class _Lookup:
    """How one processor reads the rows of one version of a table; without slots, it reads none."""

    def __init__(
        self, codec: TableEventSchema, processor: ReselectOptions, placeholders: tuple[bytes, str]
    ) -> None:
        self._codec = codec
        self._processor = processor
        self._keys = _keys(codec, processor)
        self._readers: dict[tuple[int, ...], _RowReader] = {}
        derived = {slot for slot, _, _ in codec.derived}
        names = [field.name for field in codec.value_schema.fields]
        included = [
            _ReselectedColumn(slot, codec.columns[slot], placeholders)
            for slot, name in enumerate(names)
            if slot not in derived and processor.includes(f"{codec.table.id}:{name}")
        ]
        self.slots = included if codec.key_schema is not None else []

    def needed(self, row: Row, lacking: frozenset[int]) -> tuple[int, ...]:
        """Return the slots of a row whose values must be read."""
        options = self._processor
        return tuple(
            slot.number
            for slot in self.slots
            if (options.unavailable and (slot.number in lacking or slot.is_placeholder(row)))
            or (options.nulls and slot.is_null(row))
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
            reader = _RowReader([self._codec.columns[slot] for slot in slots])
            self._readers[slots] = reader
        return reader.read(connection, table.quoted("`"), self._keys, row)

    def report_failure(self, reason: str) -> None:
        """Log that a row could not be completed.

        :raises ReselectError: the options make that an error.
        """
        message = f"Table {self._codec.table.id}: {reason}."
        if self._processor.fails:
            raise ReselectError(message) from None
        log.warning("%s The event keeps the values of the log.", message)


@dataclass(frozen=True, slots=True)
class _ReselectedColumn:
    """One column that may be reselected."""

    number: int
    column: ColumnCodec
    placeholders: tuple[bytes, str]

    def is_placeholder(self, row: Row) -> bool:
        """Whether the value is the placeholder of one that the log does not contain."""
        unavailable = self.column.unavailable
        return unavailable in self.placeholders and row[self.number] == unavailable

    def is_null(self, row: Row) -> bool:
        """Whether the value is NULL; Java replaces NULL in a column with a default."""
        return row[self.number] is None and self.column.schema.default is None


class _RowReader:
    """Reads some columns of single rows of a table."""

    def __init__(self, columns: Sequence[ColumnCodec]) -> None:
        self._columns = ", ".join(codec.sql(quote(codec.column.name)) for codec in columns)
        self._rows = TextRows([codec.as_selected() for codec in columns])

    def read(
        self, connection: Connection, table: str, keys: Iterable[_KeyColumn], row: Row
    ) -> Row | None:
        """Return the values of the row with this key, None when there is none."""
        key = " AND ".join(f"{key.name}={connection.literal(key.value(row))}" for key in keys)
        sql = f"SELECT {self._columns} FROM {table} WHERE {key} LIMIT 1"  # noqa: S608 - names are quoted, values escaped
        stream = connection.read_rows(sql)
        found = [values for batch in self._rows.read(stream) for values in batch]
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class _KeyColumn:
    """One column of a key: its quoted name, its slot, and the conversion to SQL."""

    name: str
    slot: int
    in_sql: Callable[[Any], Any]

    def value(self, row: Row) -> Any:
        """Return the value to compare with."""
        value = row[self.slot]
        return None if value is None else self.in_sql(value)


def _keys(codec: TableEventSchema, processor: ReselectOptions) -> list[_KeyColumn]:
    """Return the columns that identify a row; key slots hold values as they were read."""
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
        _KeyColumn(quote(name), slots[name], sql_value(column))
        for name, column in zip(names, columns, strict=True)
    ]
