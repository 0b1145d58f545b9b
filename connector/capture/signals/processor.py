"""Weaves what signals lead to into the stream of changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from connector.capture.change import (
    Change,
    Emptied,
    EventBatch,
    HeartbeatDue,
    Position,
    Progress,
    RowChanges,
    SchemaChange,
    Truncated,
)
from connector.capture.incremental.offsets import SIGNAL_OFFSET
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.signals.actions import SignalActions, StreamControl
from connector.capture.signals.blocking import BlockingRequest
from connector.capture.signals.channels import SignalChannels
from connector.capture.signals.custom import CustomActions
from connector.capture.signals.new_tables import NewTables
from connector.capture.signals.rest_channel import RestChannel
from connector.capture.signals.signal import (
    Signal,
    SignalChannel,
    parse_signal,
)
from connector.capture.snapshot_events import SnapshotBegan
from connector.capture.tables import TableId

log = logging.getLogger(__name__)

_OPEN: Final = "snapshot-window-open"
_CLOSE: Final = "snapshot-window-close"
_FIELDS: Final = 3


@dataclass(frozen=True, slots=True)
class SignalOptions:
    """Where signals come from. ``interval`` is in seconds.

    ``reads_deletes``: the deletion of a mark ends its window.
    """

    table: TableId | None = None
    reads_table: bool = True
    reads_deletes: bool = False
    interval: float = 5.0


class Signals:
    """The signals of one capture; used by its thread.

    Those of the table come with the stream, in order with the changes; the other channels are
    read between two batches of it. Without an ``incremental`` snapshot none can be executed.
    """

    def __init__(
        self,
        options: SignalOptions,
        channels: Sequence[SignalChannel] = (),
        incremental: IncrementalSnapshot | None = None,
        stream: StreamControl | None = None,
        custom: CustomActions | None = None,
        new_tables: NewTables | None = None,
    ) -> None:
        self._options = options
        self._channels = SignalChannels(channels, options.interval)
        self._incremental = incremental
        self._new_tables = new_tables
        self._saved: dict[str, Any] = {}
        self._actions = SignalActions(incremental, stream, lambda: self._saved, custom)

    @property
    def rest_channel(self) -> RestChannel | None:
        """The channel of the REST API, if it is enabled."""
        return self._channels.rest

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Take the state that a stored offset has."""
        self._saved = dict(offset)
        self._channels.start(offset.get(SIGNAL_OFFSET))
        self._restore()

    @property
    def has_chunks(self) -> bool:
        """Whether tables can be read in chunks."""
        return self._incremental is not None

    @property
    def reads_initial_chunks(self) -> bool:
        """Whether an initial snapshot is read in chunks and not complete."""
        return self._incremental is not None and self._incremental.is_initial

    def initial_progress(self) -> SnapshotBegan:
        """Return the tables of the initial snapshot that are left, and how far each one is read."""
        if self._incremental is None:
            return SnapshotBegan({})
        return self._incremental.initial_progress()

    def begin_initial(self, tables: Iterable[TableId]) -> Iterator[Change]:
        """Begin an initial snapshot, whose chunks are read when the stream starts."""
        if self._incremental is not None:
            yield from self._incremental.begin_initial(tables)

    def read_new_tables(self, tables: Callable[[], Mapping[TableId, bool]]) -> None:
        """Request the rows of tables that are captured since this start, if so configured.

        :param tables: lists the captured tables, and whether their definitions are known.
        """
        if self._new_tables is not None:
            self._saved = self._new_tables.with_request(self._saved, tables())
            self._restore()

    def close(self) -> None:
        """Release all connections."""
        self._channels.close()
        if self._incremental is not None:
            self._incremental.close()

    def weave(self, changes: Iterator[Change]) -> Iterator[Change]:
        """Yield the changes of a stream with those of the signals among them.

        A stream that begins again after an error continues with the state of the last progress. It
        ends at a progress between two transactions when a blocking snapshot is due.
        """
        incremental = self._incremental
        self._restore()
        begun = False
        last: Progress[Position] | None = None
        for change in changes:
            kind = change.__class__
            if kind is RowChanges or kind is EventBatch:
                yield from self._rows(change)  # type: ignore[arg-type]
                continue
            if kind is Progress:
                last = change  # type: ignore[assignment]
                yield self.with_state(change)  # type: ignore[arg-type]
                if self._must_stand(last):
                    break
                continue
            if incremental is not None:
                yield from _apply(incremental, change)
            yield change
            if not begun and incremental is not None:
                begun = True
                yield from incremental.resume_reading()
            if kind is HeartbeatDue:
                yield from self._between_batches(last)
                if self._must_stand(last):
                    break
        if incremental is not None:
            incremental.stand()

    def _between_batches(self, last: Progress[Position] | None) -> Iterator[Change]:
        if self._channels.is_due():
            for signal in self._channels.read():
                yield from self._run(signal)
            yield from self._channels.notices()
        if last is None:
            return
        if self._channels.awaits_storage:
            yield self.with_state(replace(last, commits=0, is_due=True))
            self._channels.acknowledge()
        if self._incremental is not None:
            self._incremental.note_progress(last)
            yield from self._go_on(self._incremental, last)
        if self._must_stand(last):
            yield self.with_state(replace(last, commits=0))

    def _must_stand(self, last: Progress[Position] | None) -> bool:
        """Whether the stream is to end behind a progress: a blocking snapshot is due."""
        due = self._actions.blocking.first is not None
        return due and last is not None and not last.in_transaction

    @property
    def blocking(self) -> BlockingRequest | None:
        """The blocking snapshot that is to be taken before the stream continues."""
        return self._actions.blocking.first

    def end_blocking(self) -> None:
        """Remove the request of the blocking snapshot that was taken, or cannot be."""
        self._actions.blocking.remove_first()

    def rewind(self) -> None:
        """Return to the state of the last progress: what came later comes with the stream again."""
        self._channels.rewind()
        self._restore()

    def _restore(self) -> None:
        self._actions.restore(self._saved)
        if self._incremental is not None:
            self._incremental.restore(self._saved)
        self._channels.seek(self._saved.get(SIGNAL_OFFSET))

    def _go_on(
        self, incremental: IncrementalSnapshot, last: Progress[Position]
    ) -> Iterator[Change]:
        """Let the snapshot do what is due; its progress is stored though the stream stands."""
        went_on = False
        for change in incremental.go_on(last.position):
            went_on = True
            yield change
        if went_on:
            yield self.with_state(replace(last, commits=0))

    def _rows(self, change: RowChanges | EventBatch) -> Iterator[Change]:
        if isinstance(change, EventBatch):  # none of its rows is a signal
            if self._incremental is None or self._incremental.skip(change):
                yield change
            else:
                for part in change.changes():
                    yield from self._rows(part)
            return
        if change.codec.table.id == self._options.table:
            yield from self._signal_rows(change)
            return
        if self._incremental is not None:
            self._incremental.deduplicate(change)
        yield change

    def with_state(self, change: Progress[Position]) -> Progress[Position]:
        """Add to a position what the offset has to keep with it."""
        kept = {} if self._incremental is None else self._incremental.to_offset()
        kept |= self._actions.to_offset()
        if self._new_tables is not None:
            kept |= self._new_tables.to_offset()
        if self._channels.offset is not None:
            kept[SIGNAL_OFFSET] = self._channels.offset
        self._saved = kept
        self._channels.note_saved()
        return replace(change, kept=kept, restart=self._actions.restart.current) if kept else change

    def _signal_rows(self, change: RowChanges) -> Iterator[Change]:
        """Run the signals in the rows of the table, each before the row itself is emitted."""
        for number, row in enumerate(change.rows):
            first = None if change.first_row is None else change.first_row + number
            alone = replace(change, rows=[row], first_row=first)
            signal = self._signal_of(alone)
            if signal is not None:
                yield from self._run(signal, alone)
            yield alone

    def _signal_of(self, change: RowChanges) -> Signal | None:
        options, ((before, after),) = self._options, change.rows
        if len(change.codec.value_schema.fields) != _FIELDS:
            log.warning("The table of signals %s must have 3 columns", change.codec.table.id)
            return None
        if change.op == "d" and before is not None and options.reads_deletes:
            return Signal(str(before[0]).replace("open", "close"), _CLOSE)
        if change.op != "c" or after is None:
            return None
        identity, type_, data = (None if part is None else str(part) for part in after[:_FIELDS])
        return parse_signal(identity, type_, data)

    def _run(self, signal: Signal, event: RowChanges | None = None) -> Iterator[Change]:
        """Run the action of a signal; ``event`` is its row if it came by the table."""
        incremental = self._incremental
        if event is not None and incremental is not None:
            if signal.type == _OPEN:
                incremental.open_window(signal.id)
                return
            if signal.type == _CLOSE:
                yield from incremental.close_window(signal.id, event)
                return
        if event is not None and not self._options.reads_table:
            return
        yield from self._actions.run(signal, event)


def _apply(incremental: IncrementalSnapshot, change: Change) -> Iterator[Change]:
    """Report a change that concerns a whole table."""
    if isinstance(change, SchemaChange):
        yield from incremental.follow_schema(change)
    elif isinstance(change, Truncated):
        incremental.empty(change.codec.table.id)
    elif isinstance(change, Emptied):
        incremental.empty(change.table)
