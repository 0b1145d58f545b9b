"""The state of an incremental snapshot, and how offsets keep it in Debezium's form."""

from __future__ import annotations

import json
import logging
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from connector.capture.change import IncrementalProgress
from connector.capture.incremental.chunk_source import Key, TableRequest
from connector.capture.tables import TableId, parse_table
from connector.data.java_objects import deserialized, serialized

log = logging.getLogger(__name__)

_PREFIX: Final = "incremental_snapshot"
_POSITION, _MAXIMUM = f"{_PREFIX}_primary_key", f"{_PREFIX}_maximum_key"
_TABLES, _CORRELATION = f"{_PREFIX}_collections", f"{_PREFIX}_correlation_id"
_ID, _CONDITION, _SURROGATE = (
    f"{_TABLES}_{part}" for part in ("id", "additional_condition", "surrogate_key")
)
SIGNAL_OFFSET: Final = "millrace_signal_offset"
_FAILED: Final = "millrace_failed_tables"


@dataclass(slots=True)
class SnapshotState:
    """What is to be read, and how far the first of its tables is read.

    ``position`` is the key up to which rows are emitted, ``chunk_end`` the last key of the chunk
    that is read; both are None at the start of a table. ``maximum`` is the highest key that the
    table had at its start. ``key_columns`` are those of the keys, empty if they are not known.
    ``identity`` is the id of the signal. ``failed`` are tables whose last snapshot failed, each
    with the reason.
    """

    tables: deque[TableRequest] = field(default_factory=deque)
    identity: str | None = None
    position: Key | None = None
    chunk_end: Key | None = None
    maximum: Key | None = None
    key_columns: tuple[str, ...] = ()
    chunk: str | None = None
    rows: int = 0
    paused: bool = False
    stops: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    _stored: tuple[Any, dict[str, Any]] | None = None

    @property
    def running(self) -> bool:
        """Whether a table is left to be read."""
        return bool(self.tables)

    def fits(self, columns: tuple[str, ...]) -> bool:
        """Whether the keys are those of some columns; from an offset only their number is known."""
        if self.key_columns:
            return columns == self.key_columns
        return all(key is None or len(key) == len(columns) for key in (self.position, self.maximum))

    def begin_chunk(self) -> str:
        """Return the id of the next chunk."""
        self.chunk = str(uuid.uuid4())
        return self.chunk

    def has_mark(self, mark: str) -> bool:
        """Whether a mark belongs to the present chunk; those from before a restart do not."""
        return self.chunk is not None and mark.startswith(self.chunk)

    def progress(self) -> IncrementalProgress:
        """Return how far the snapshot has come."""
        return IncrementalProgress(
            tuple(str(request.table) for request in self.tables),
            self.rows,
            self.chunk if self.running else None,
            key_text(self.position),
            key_text(self.chunk_end),
            key_text(self.maximum),
            self.paused,
        )

    def next_table(self) -> None:
        """Go on with the next table."""
        self.tables.popleft()
        self.restart_table()

    def restart_table(self) -> None:
        """Forget how far the table is read."""
        self.position = self.chunk_end = self.maximum = None
        self.key_columns = ()

    def to_offset(self) -> dict[str, Any]:
        """Return Debezium's keys of an offset, none if no snapshot runs, and the failed tables.

        Every progress needs them while a snapshot runs; they are built once for each chunk.
        """
        if not self.tables and not self.failed:
            return {}
        state = (*self.tables,), self.identity, self.position, self.maximum, (*self.failed.items(),)
        if self._stored is None or self._stored[0] != state:
            self._stored = state, self._offset()
        return dict(self._stored[1])

    def _offset(self) -> dict[str, Any]:
        failed = {_FAILED: json.dumps(self.failed, ensure_ascii=False)} if self.failed else {}
        if not self.tables:
            return failed
        tables = [
            {
                _ID: _table_text(request.table),
                _CONDITION: request.condition,
                _SURROGATE: request.surrogate_key,
            }
            for request in self.tables
        ]
        return {
            _POSITION: serialized(self.position),
            _MAXIMUM: serialized(self.maximum),
            _TABLES: json.dumps(tables, ensure_ascii=False, separators=(",", ":")),
            _CORRELATION: self.identity,
            **failed,
        }


def state_of(offset: Mapping[str, Any]) -> SnapshotState:
    """Read the state from an offset; unreadable keys start their table again."""
    state = SnapshotState(identity=offset.get(_CORRELATION))
    try:
        state.failed = dict(json.loads(offset.get(_FAILED) or "{}"))
        tables = json.loads(offset.get(_TABLES) or "[]")
        found = [(parse_table(one[_ID]), one) for one in tables]
    except (ValueError, KeyError, TypeError, AttributeError):
        log.warning("The stored state of an incremental snapshot is damaged: it does not continue")
        return SnapshotState()
    for table, one in found:
        if table is not None:
            condition, surrogate = one.get(_CONDITION), one.get(_SURROGATE)
            state.tables.append(TableRequest(table, condition or None, surrogate or None))
    try:
        position = deserialized(offset.get(_POSITION) or serialized(None))
        state.maximum = deserialized(offset.get(_MAXIMUM) or serialized(None))
        state.position = state.chunk_end = position
    except ValueError as error:
        log.warning("An incremental snapshot begins its table again: %s", error)
        state.restart_table()
    return state


def key_text(key: Key | None) -> str:
    """Return a key as notifications have it."""
    return ",".join("<null>" if value is None else str(value) for value in key or ())


def _table_text(table: TableId) -> str:
    plain = all(part and not set(part) & set('."`') for part in table)
    return str(table) if plain else table.quoted()
