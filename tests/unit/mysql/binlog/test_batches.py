"""Large events are handled one at a time, however many a transaction has."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator

from hypothesis import given
from hypothesis import strategies as st

from connector.mysql.binlog.batches import batches
from connector.mysql.binlog.events import Began, BinlogEvent, Committed, RowsChanged
from connector.mysql.binlog.parser import EventParser
from connector.mysql.binlog.transaction_buffer import TransactionBuffer
from connector.mysql.binlog.whole_transactions import LogEvent
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds import BINARIES

LARGE = 10_000_000
COUNT = 6
PRESENT = (b"\x01", b"\x01")
TABLE = table_of([BINARIES[1]])


@given(st.lists(st.sampled_from((100, 900_000, 5_000_000)), max_size=1500))
def test_batches_have_all_events_and_are_bounded(sizes: list[int]) -> None:
    events = [BinlogEvent((1, 1, number, size)) for number, size in enumerate(sizes)]
    found = list(batches(events))
    assert [event for batch in found for event in batch] == events
    assert found[0] or len(found) == 1
    for batch in found:
        assert len(batch) <= 500
        assert sum(event.size for event in batch[:-1]) < 4 << 20


def test_a_compressed_transaction_of_large_rows() -> None:
    row = written.rows(written.WRITE, b"\0" + bytes(LARGE), [(True,)])
    inside = [written.query("BEGIN"), written.table_map(TABLE.kinds), *[row] * COUNT, written.xid()]
    event = written.compressed_transaction(b"".join(inside))
    del row, inside
    parser = EventParser(checksums=False)
    assert peak_of_decoding(parser.transaction(event, 0, len(event))) < 3 * LARGE


def test_a_buffered_transaction_of_large_rows() -> None:
    def events() -> Iterator[LogEvent]:
        yield Began((1, 1, 4, 100), 1)
        for _ in range(COUNT):
            images = (bytes(LARGE), 0, LARGE)
            yield RowsChanged((1, 1, 4, LARGE), "c", None, images, PRESENT)
        yield Committed((1, 1, 4, 100))

    assert peak_of_decoding(TransactionBuffer().release(events())) < 3.5 * LARGE


def peak_of_decoding(events: Iterable[LogEvent]) -> int:
    """Return the most bytes held while the images are released one after the other."""
    rows = 0
    tracemalloc.start()
    try:
        for batch in batches(events):
            for event in batch:
                if isinstance(event, RowsChanged):
                    rows += 1
                    assert event.size >= LARGE
                    event.release_images()
        assert rows == COUNT
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
