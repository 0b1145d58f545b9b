"""A source whose changes are numbers."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from connector.capture.change import Change, Position, Progress, Row
from connector.capture.progress import Recovered
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_plan import Plan
from connector.capture.tables import TableId


@dataclass(frozen=True)
class At:
    """A position: a number."""

    number: int

    def to_offset(self) -> dict[str, Any]:
        return {"n": self.number}


@dataclass
class Numbers:
    """A source whose log has the positions 1, 2, 3 …; a snapshot is taken at ``head``.

    ``faults`` are raised one after the other: the next one where ``breaks`` says.
    """

    head: int = 10
    oldest: int = 1
    end: int = 13
    faults: list[Exception] = field(default_factory=list)
    breaks: str = "stream"
    calls: list[str] = field(default_factory=list)
    is_open: bool = False

    def open(self) -> None:
        self._note("open")
        self.is_open = True

    def position(self, offset: Mapping[str, Any]) -> Position:
        return At(offset["n"])

    def can_resume(self, position: Position) -> bool:
        assert isinstance(position, At)
        return position.number >= self.oldest

    def recover(self, position: Position) -> Recovered:
        assert self.is_open
        self._note(f"recover {position.to_offset()['n']}")
        return Recovered(3, "ALTER d.t")

    def begin_log(self) -> Position:
        assert self.is_open
        self._note("begin log")
        return At(self.oldest - 1)

    def known_tables(self) -> Iterable[TableId]:
        return ()

    def captured_tables(self) -> Mapping[TableId, bool]:
        assert self.is_open
        return {TableId("d", "old"): True, TableId("d", "new"): False}

    def snapshot(self, plan: Plan, stored: Position | None) -> Generator[Change, None, Position]:
        assert self.is_open
        at = stored or At(self.head)
        self._note(f"snapshot {'data' if plan.data else 'schema'}")
        yield Progress(at)
        self._break("snapshot")
        return at

    def read_again(
        self, request: SnapshotRequest, at: Position, event: Row | None
    ) -> Generator[Change, None, None]:
        assert self.is_open
        self._note(f"read {','.join(request.tables)} at {at.to_offset()['n']} {event}")
        yield Progress(at)
        self._break("again")

    def stream(self, start: Position) -> Iterator[Change]:
        assert self.is_open
        assert isinstance(start, At)
        self._note(f"stream {start.number}")
        for number in range(start.number + 1, self.end + 1):
            yield Progress(At(number))
            self._break("stream")

    def close(self) -> None:
        self._note("close")
        self.is_open = False

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self._break(call)

    def _break(self, place: str) -> None:
        if place == self.breaks and self.faults:
            raise self.faults.pop(0)
