"""The actions of signals, by type."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from connector.capture.change import Change, HeartbeatDue, Notice, Position, RowChanges
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.signals.blocking import BlockingQueue
from connector.capture.signals.custom import CustomActions
from connector.capture.signals.restart_position import RestartPosition
from connector.capture.signals.signal import Signal, snapshot_request
from connector.capture.signals.table_changes import TableChangesRequest, table_changes_request
from connector.errors import ConfigError

log = logging.getLogger(__name__)


class StreamControl(Protocol):
    """What signals do to the stream of a database. Used by the task's thread, while it streams."""

    def redefine(self, request: TableChangesRequest, event: RowChanges | None) -> Iterator[Change]:
        """Replace tracked definitions; yield the schema changes.

        :param event: the row of the signal, None if it did not come with the stream.
        """

    def restart_position(self, data: Mapping[str, Any]) -> Position:
        """Read the position that a signal sets.

        :raises ConfigError: it is none, or one that this server does not read from.
        """


class SignalActions:
    """Runs signals. Without an ``incremental`` snapshot none can be executed.

    ``saved`` returns the state of the last progress. ``custom`` are the actions of other types.
    """

    def __init__(
        self,
        incremental: IncrementalSnapshot | None,
        stream: StreamControl | None,
        saved: Callable[[], Mapping[str, Any]],
        custom: CustomActions | None = None,
    ) -> None:
        self.blocking = BlockingQueue()
        self.restart = RestartPosition()
        self._incremental = incremental
        self._stream = stream
        self._saved = saved
        self._custom = custom
        self._event: RowChanges | None = None
        self._actions: dict[str, Callable[[Signal], Iterable[Change]]] = {
            "log": self._log,
            "execute-snapshot": self._execute,
            "stop-snapshot": self._stop,
            "pause-snapshot": self._pause,
            "resume-snapshot": self._resume,
            "schema-changes": self._redefine,
            "set-binlog-position": self._set_position,
        }

    def run(self, signal: Signal, event: RowChanges | None) -> Iterator[Change]:
        """Run the action of a signal; ``event`` is its row if it came by the table."""
        self._event = event
        action = self._actions.get(signal.type)
        if action is None and self._custom is not None and self._custom.has(signal.type):
            action = self._custom.run
        if action is None:
            log.warning("Signal %s: the type '%s' is not recognized", signal.id, signal.type)
        else:
            log.info("Signal %s: %s", signal.id, signal.type)
            yield from action(signal)

    def to_offset(self) -> dict[str, Any]:
        """Return what offsets keep of the signals that ran."""
        return self.blocking.to_offset() | self.restart.to_offset()

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Return to the state of an offset."""
        self.blocking.restore(offset)
        self.restart.restore(offset)

    def _log(self, signal: Signal) -> Iterable[Change]:
        message = signal.data.get("message")
        if not message:
            log.warning("Signal %s is to log a message, but has none", signal.id)
        else:
            log.info("%s", str(message).replace("{}", str(self._saved()), 1))
        return ()

    def _execute(self, signal: Signal) -> Iterable[Change]:
        request = snapshot_request(signal)
        if request is None:
            return ()
        if not request.tables:
            log.warning("Signal %s names no data-collections", signal.id)
            return ()
        if request.kind == "blocking":
            source = None if self._event is None else self._event.source
            self.blocking.add(signal, request, source)
            return ()
        return (
            ()
            if (snapshot := self._snapshot(signal)) is None
            else snapshot.execute(signal.id, request)
        )

    def _stop(self, signal: Signal) -> Iterable[Change]:
        request, snapshot = snapshot_request(signal), self._snapshot(signal)
        if request is None or snapshot is None or request.kind != "incremental":
            return ()
        return snapshot.stop(request)

    def _pause(self, signal: Signal) -> Iterable[Change]:
        snapshot = self._snapshot(signal)
        return () if snapshot is None else snapshot.pause()

    def _resume(self, signal: Signal) -> Iterable[Change]:
        request, snapshot = snapshot_request(signal), self._snapshot(signal)
        if request is None or snapshot is None:
            return ()
        return snapshot.resume(signal.id, request)

    def _redefine(self, signal: Signal) -> Iterable[Change]:
        request = table_changes_request(signal)
        if request is None or self._stream is None:
            return
        for change in request.changes:
            log.info("Signal %s: %s of table %s", signal.id, change.type, change.id)
        yield from self._stream.redefine(request, self._event)
        if self._incremental is not None:
            yield from self._incremental.follow_schema()

    def _set_position(self, signal: Signal) -> Iterable[Change]:
        if self._stream is None:
            return
        if self.restart.has_run(signal):
            log.warning("Signal %s has been run before; another one needs another id", signal.id)
            return
        try:
            position = self._stream.restart_position(signal.data)
        except ConfigError as error:
            log.warning("Signal %s is skipped: %s", signal.id, error)
            return
        self.restart.set(signal, position)
        where = ", ".join(f"{name} {value}" for name, value in position.to_offset().items())
        text = f"Signal {signal.id}: after a restart the connector reads from {where}."
        log.warning("%s", text)
        yield Notice(text, "the position")
        yield HeartbeatDue(now=True)

    def _snapshot(self, signal: Signal) -> IncrementalSnapshot | None:
        if self._incremental is None:
            log.warning(
                "Signal %s is skipped: incremental snapshots need signal.data.collection", signal.id
            )
        return self._incremental
