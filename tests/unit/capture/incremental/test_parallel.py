"""Several tables that are read at the same time, between the same marks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

import pytest

from connector.capture.change import Change, Progress, RowChanges
from connector.capture.incremental.chunk_source import Chunk, Key, TableRequest
from connector.capture.incremental.offsets import state_of
from connector.capture.incremental.parallel import ChunkJob, ChunkReaders
from connector.capture.incremental.table_state import TableState
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import SessionRefusedError, StopError
from tests.unit.capture.incremental.rows_read import rows_read
from tests.unit.capture.incremental.simulated import (
    TABLE,
    Capture,
    Chunks,
    Database,
    schema,
)
from tests.unit.capture.incremental.simulated_time import QuickClock

TABLES = (TABLE, TableId("d", "t1"), TableId("d", "t2"))


def database() -> Database:
    made = Database({number: (number, "v") for number in range(18)}, tables=TABLES)
    made.signal("one", "execute-snapshot", json.dumps({"data-collections": ["d\\.t.*"]}))
    return made


def windows(made: Database) -> int:
    rows = [change.rows[0][1] for change in made.log if isinstance(change, RowChanges)]
    return sum(row is not None and row[1] == "snapshot-window-open" for row in rows)


class Together(Chunks):
    """A server that answers when as many sessions read as tables are read at once."""

    def __init__(self, made: Database, barrier: threading.Barrier) -> None:
        super().__init__(made)
        self.barrier = barrier
        self.readers: list[Together] = []

    def another_reader(self) -> Chunks:
        self.readers.append(Together(self._database, self.barrier))
        return self.readers[-1]

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:
        self.barrier.wait(5)
        return super().maximum_key(schema, request)


@pytest.mark.parametrize(("threads", "count"), [(1, 10), (3, 4)])
def test_tables_share_their_windows(threads: int, count: int) -> None:
    made = database()
    chunks = Together(made, threading.Barrier(threads))
    changes = list(Capture(made, chunks, 2, deletes=False, threads=threads).run({}))
    assert sorted(rows_read(changes)) == list(range(18))
    assert windows(made) == count
    assert len(chunks.readers) == threads - 1


@pytest.mark.parametrize(("threads", "count"), [(1, 10), (3, 4), (20, 2)])
def test_threads_share_a_table(threads: int, count: int) -> None:
    made = Database({number: (number, "v") for number in range(18)})
    made.signal("one", "execute-snapshot", json.dumps({"data-collections": ["d.t"]}))
    changes = list(Capture(made, Chunks(made), 2, deletes=False, threads=threads).run({}))
    assert rows_read(changes) == list(range(18))
    assert windows(made) == count


def test_threads_that_two_tables_leave_read_more_of_them() -> None:
    made = database()
    made.rows = {key: row for key, row in made.rows.items() if made.table_of(key) != TABLE}
    changes = list(Capture(made, Chunks(made), 2, deletes=False, threads=4).run({}))
    assert rows_read(changes) == [1, 4, 2, 5, 7, 10, 13, 16, 8, 11, 14, 17]


class Growing(Chunks):
    """A table to which rows come between the plan of a chunk and its reading."""

    def chunk_ends(
        self,
        schema: TableEventSchema,
        request: TableRequest,
        after: Key | None,
        maximum: Key,
        limit: int,
        count: int,
    ) -> list[Key]:
        found = super().chunk_ends(schema, request, after, maximum, limit, count)
        if 11 not in self._database.rows:  # before the first mark of the log, so no duplicates
            self._database.rows |= {key: (key, "v") for key in range(11, 30)}
        return found


def test_rows_that_come_while_threads_share_a_table_are_all_read() -> None:
    """A part with many more rows than planned ends the chunk: those behind it are read later."""
    made = Database({number: (number, "v") for number in range(0, 90, 10)})
    made.signal("one", "execute-snapshot", json.dumps({"data-collections": ["d.t"]}))
    changes = list(Capture(made, Growing(made), 2, deletes=False, threads=3).run({}))
    assert rows_read(changes) == sorted(made.rows)
    sizes = [len(change.rows) for change in changes if isinstance(change, RowChanges)
             and change.op == "r"]  # fmt: skip
    assert max(sizes) <= 4 + 4 + 2


class Refusing(Chunks):
    """Refuses some chunks so many times."""

    def __init__(
        self, made: Database, refuses: Callable[[TableRequest, Key | None], bool], times: int
    ) -> None:
        super().__init__(made)
        self.refuses = refuses
        self.times = times

    def read(
        self,
        schema: TableEventSchema,
        request: TableRequest,
        after: Key | None,
        until: Key | None,
        limit: int,
    ) -> Chunk:
        if self.times and self.refuses(request, after):
            self.times -= 1
            raise StopError("no such column")
        return super().read(schema, request, after, until, limit)


def test_a_table_whose_last_part_is_refused_is_read_again() -> None:
    made = Database({number: (number, "v") for number in range(5)})
    made.signal("one", "execute-snapshot", json.dumps({"data-collections": ["d.t"]}))
    chunks = Refusing(made, lambda _, after: after == (3,), 1)
    capture = Capture(made, chunks, 2, deletes=False, threads=3, clock=QuickClock(0.1))
    assert rows_read(list(capture.run({}))) == [0, 1, 2, 3, 4]


def test_a_restart_continues_each_table_where_it_was() -> None:
    made = database()
    first: list[Change] = []
    for change in Capture(made, Chunks(made), 2, deletes=False, threads=2).run({}):
        first.append(change)
        if isinstance(change, Progress) and len(rows_read(first)) == 8:
            break
    stored = first[-1]
    assert isinstance(stored, Progress)
    offset = {**stored.position.to_offset(), **stored.kept}
    positions = [one.position for one in state_of(offset).tables]
    assert positions == [(9,), (10,), None]
    second = rows_read(list(Capture(made, Chunks(made), 2, deletes=False, threads=2).run(offset)))
    assert sorted(rows_read(first) + second) == list(range(18))


def test_a_table_that_is_refused_does_not_delay_the_others() -> None:
    made = database()
    chunks = Refusing(made, lambda request, _: request.table == TABLE, 4)
    capture = Capture(made, chunks, 2, deletes=False, clock=QuickClock(0.1))
    read = rows_read(list(capture.run({})))
    assert sorted(read) == list(range(18))
    assert read[:2] == [1, 4], "the first table was waited for"


def test_a_second_request_for_a_table_that_is_refused_waits_for_the_first_one() -> None:
    """Otherwise what the second one has read would be noted for the first one."""
    made = Database({number: (number, "v") for number in range(5)})
    for _ in range(2):
        made.signal("one", "execute-snapshot", json.dumps({"data-collections": ["d.t"]}))
    chunks = Chunks(made)
    chunks.refusals = 1
    capture = Capture(made, chunks, 2, deletes=False, clock=QuickClock(0.1))
    assert rows_read(list(capture.run({}))) == [0, 1, 2, 3, 4] * 2


def test_all_readers_have_ended_before_an_error_is_raised() -> None:
    """Otherwise one of them would be used by two threads after the error."""
    ended = threading.Event()

    class Slow(Chunks):
        def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:  # noqa: ARG002 - a protocol
            threading.Event().wait(0.2)
            ended.set()
            return None

    class Failing(Chunks):
        def another_reader(self) -> Chunks:
            return Slow(self._database)

        def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:  # noqa: ARG002 - a protocol
            raise SessionRefusedError("none left")

    jobs = [
        ChunkJob(TableState(TableRequest(table)), schema(table, "id", "v"), 2)
        for table in TABLES[:2]
    ]
    with pytest.raises(SessionRefusedError):
        ChunkReaders(Failing(database())).read(jobs)
    assert ended.is_set()
