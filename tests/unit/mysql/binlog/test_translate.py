"""Events of the log as changes: transactions, rows, and what a restart leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import Change, LeftOut, Progress, RowChanges, TransactionBoundary
from connector.errors import ConversionError, StopError
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.position.binlog_position import BinlogPosition, position_of
from connector.mysql.position.gtid import GtidSet
from connector.mysql.source_block import ROW_SLOT
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.sample_log import (
    AFTER_DDL,
    FILE,
    FIRST,
    GTID_BODY,
    LOG,
    SERVER,
    compressed_log_of,
    log_of,
    mariadb_gtid,
    position_texts,
    set_positions,
    translated,
    values,
)


def marks(changes: Iterable[Change]) -> list[tuple[str, str]]:
    return [(mark.status, mark.id) for mark in changes if isinstance(mark, TransactionBoundary)]


def positions(changes: Iterable[Change]) -> list[BinlogPosition]:
    found: list[Any] = [change.position for change in changes if isinstance(change, Progress)]
    return found


def test_a_transaction_has_its_rows_between_its_marks() -> None:
    changes = translated(LOG, options=TranslateOptions(boundaries=True))
    assert values(changes) == [(1, 0), (2, 1), (3, 0), (4, 0), (5, 1), (6, 2)]
    assert marks(changes) == [("BEGIN", f"{SERVER}:5"), ("END", f"{SERVER}:5")]
    last = positions(changes)[-1]
    assert (last.pos, last.row) == (FIRST + sum(map(len, LOG)), 0)
    assert str(last.gtids) == f"{SERVER}:1-5"


def test_the_source_block_of_a_row_event() -> None:
    change = next(c for c in translated(LOG) if isinstance(c, RowChanges))
    source = change.source
    assert source[5] == "shop"
    assert source[9:14] == (
        "orders",
        written.SERVER_ID,
        f"{SERVER}:5",
        FILE,
        FIRST + sum(len(event) for event in LOG[:3]),
    )
    assert source[ROW_SLOT] == 0
    assert source[15:] == (8, None)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=4))
def test_a_start_from_any_reported_position_loses_and_repeats_nothing(
    rows: list[list[int]],
) -> None:
    log = set_positions(log_of(*rows))
    whole = values(translated(log))
    changes = translated(log)
    seen: list[tuple[int, int]] = []
    for change in changes:
        if not isinstance(change, Progress):
            seen += values([change])
            continue
        start: Any = change.position
        again = _from(log, start)
        assert seen + values(translated(again, start)) == whole


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=4))
def test_each_row_of_a_compressed_transaction_has_a_position_of_its_own(
    rows: list[list[int]],
) -> None:
    """They are in order, and the same after a start from any reported position."""
    log, options = compressed_log_of(*rows), TranslateOptions(position_headers=True)
    begin = BinlogPosition(FILE, FIRST, GtidSet.parse(f"{SERVER}:1-4"), epoch=0)
    changes = translated(log, begin, options)
    assert values(changes) == [(v, n) for event in rows for n, v in enumerate(event)]
    texts = position_texts(changes)
    prefix = f"0/{FILE}/{FIRST + len(log[0])}/"
    assert all(text.startswith(prefix) for text in texts)
    numbers = [int(text.removeprefix(prefix)) for text in texts]
    assert len(numbers) == sum(map(len, rows))
    assert numbers == sorted(set(numbers))
    seen: list[str] = []
    for change in changes:
        if not isinstance(change, Progress):
            seen += position_texts([change])
            continue
        start: Any = change.position
        again = translated(_from(log, start), start, options)
        assert seen + position_texts(again) == texts


def _from(log: list[bytes], start: BinlogPosition) -> list[bytes]:
    """Return what a server sends from a position by GTID: whole transactions not yet done."""
    return [] if str(start.gtids) == f"{SERVER}:1-5" else log


@pytest.mark.parametrize("row", [1, 2])
def test_rows_of_an_event_that_are_done_are_left_out(row: int) -> None:
    """BEGIN and TABLE_MAP are the two events before it."""
    start = BinlogPosition(
        FILE, FIRST + len(LOG[0]), GtidSet.parse(f"{SERVER}:1-4"), event=2, row=row
    )
    found = values(translated(LOG, start))
    assert found[-4:] == [(3, 0), (4, 0), (5, 1), (6, 2)]
    assert found[:-4] == [(1, 0), (2, 1)][row:]


@pytest.mark.parametrize(("kind", "operation"), [(written.WRITE, "c"), (written.DELETE, "d")])
def test_operations_may_be_skipped(kind: int, operation: Any) -> None:
    log = set_positions(log_of([1], kind=kind))
    options = TranslateOptions(skipped=frozenset([operation]))
    assert not [c for c in translated(log, options=options) if isinstance(c, RowChanges)]
    assert [c for c in translated(log) if isinstance(c, RowChanges)]


def test_transactions_of_sources_that_are_not_followed_are_left_out() -> None:
    follows_none = TranslateOptions(captures_gtid=lambda _: False)
    changes = translated(LOG, options=follows_none)
    assert values(changes) == []
    assert str(positions(changes)[-1].gtids) == f"{SERVER}:1-5"
    assert values(translated(LOG, options=TranslateOptions(captures_gtid=lambda _: True)))


@pytest.mark.parametrize(("queries", "shown"), [(True, "INSERT …"), (False, None)])
def test_the_statement_is_emitted_if_configured(queries: bool, shown: str | None) -> None:
    log = log_of([1])
    log.insert(3, written.event(29, b"\x0aINSERT \xe2\x80\xa6"))
    changes = translated(set_positions(log), options=TranslateOptions(queries=queries))
    (change,) = [c for c in changes if isinstance(c, RowChanges)]
    assert change.source[-1] == shown


def test_statements_are_handed_on_but_not_those_of_transactions() -> None:
    """MySQL 5.6 does not escape quotes within the name of a savepoint to which it rolls back."""
    statements: list[str] = []
    texts = ("DROP TABLE t", "XA COMMIT X'61',X'',1", 'SAVEPOINT "`"', "ROLLBACK TO ```")
    log = set_positions(map(written.query, texts))
    changes = translated(log, statements=statements)
    assert statements == ["DROP TABLE t"]
    assert positions(changes)[-1].pos == FIRST + sum(map(len, log))


XA = set_positions(
    [
        written.event(33, GTID_BODY),
        written.query("XA START X'61',X'',1"),
        *log_of([1, 2], [3])[2:-1],
        written.query("XA END X'61',X'',1"),
        written.event(38, bytes(20)),
    ]
)


def test_the_rows_of_an_xa_transaction_come_with_its_preparation() -> None:
    changes = translated(XA, options=TranslateOptions(boundaries=True))
    assert [value for value, _ in values(changes)] == [1, 2, 3]
    assert marks(changes) == []
    last = positions(changes)[-1]
    assert (last.pos, last.event) == (FIRST + sum(map(len, XA)), 0)
    assert str(last.gtids) == f"{SERVER}:1-5"


@pytest.mark.parametrize("gtids", [GtidSet.parse(f"{SERVER}:1-4"), None])
def test_a_restart_within_an_xa_transaction_continues_it(gtids: GtidSet | None) -> None:
    """Also without GTIDs: the position never lies between a TABLE_MAP event and its rows."""
    start = BinlogPosition(FILE, FIRST, gtids)
    whole, seen = values(translated(XA, start)), list[tuple[int, int]]()
    for change in translated(XA, start):
        seen += values([change])
        if isinstance(change, Progress):
            at: Any = change.position
            offset = at.to_offset()
            assert "event" not in offset  # which Debezium would take for events to skip
            resumed = position_of(offset, is_mariadb=False)
            assert seen + values(translated(_log_after(resumed, XA), resumed)) == whole


def _log_after(at: BinlogPosition, log: list[bytes]) -> list[bytes]:
    if at.gtids is not None:
        return _from(log, at)
    starts = [FIRST + sum(map(len, log[:number])) for number in range(len(log) + 1)]
    return log[starts.index(at.pos) :]


def test_a_heartbeat_is_no_event_of_a_transaction() -> None:
    """The server sends one every few seconds as long as nothing else comes."""
    beats = heartbeats(9, behind=LOG[:3])
    counted = [p.event for p in positions(translated(LOG))]
    with_beats = [p.event for p in positions(translated([*LOG[:3], *beats, *LOG[3:]]))]
    assert with_beats == [*counted[:3], *[2] * len(beats), *counted[3:]]


def heartbeats(count: int, *, behind: list[bytes]) -> list[bytes]:
    """What a server sends that has nothing after some events; it names the end of its log."""
    end = FIRST + sum(map(len, behind))
    beat = written.event(27, FILE.encode())
    return [beat[:13] + end.to_bytes(4, "little") + beat[17:]] * count


def test_a_statement_of_mariadb_ends_its_group() -> None:
    statements: list[str] = []
    ddl = [mariadb_gtid(5, 1), written.query("ALTER TABLE t ADD b INT")]
    log = [*set_positions(ddl), *heartbeats(20, behind=ddl)]
    changes = translated(log, AFTER_DDL, statements=statements)
    assert statements == ["ALTER TABLE t ADD b INT"]
    last = positions(changes)[-1]
    assert (last.event, last.pos) == (0, FIRST + sum(map(len, ddl)))
    assert str(last.gtids) == "0-7-5"


def test_a_count_of_events_skips_none_of_the_next_transaction() -> None:
    """Offsets from before standalone groups were known may count heartbeats after DDL."""
    log = [
        mariadb_gtid(5, 1),
        written.query("ALTER TABLE t ADD b INT"),
        mariadb_gtid(6, 12),
        *log_of([1], [2])[2:],
    ]
    start = replace(AFTER_DDL, event=14)
    assert [value for value, _ in values(translated(set_positions(log), start))] == [1, 2]


@pytest.mark.parametrize("announced", [2, 8])
def test_an_alter_that_mariadb_only_starts_or_takes_back_changes_nothing(announced: int) -> None:
    statements: list[str] = []
    log = [
        mariadb_gtid(5, 1 | 32, bytes([announced])),
        written.query("ALTER TABLE t ADD b INT"),
        mariadb_gtid(6, 1 | 32, bytes([4]) + bytes(8)),
        written.query("ALTER TABLE t ADD c INT"),
        mariadb_gtid(7, 1 | 2 | 128, bytes(8) + b"\1\0\0\0\1\0a" + bytes([2])),
        written.query("ALTER TABLE t ADD d INT"),
    ]
    translated(set_positions(log), AFTER_DDL, statements=statements)
    assert statements == ["ALTER TABLE t ADD c INT"]


def test_rows_without_a_table_map_are_refused_unless_there_are_none() -> None:
    orphaned = set_positions([LOG[0], LOG[1], *LOG[3:]])
    with pytest.raises(StopError, match="follow no TABLE_MAP event"):
        translated(orphaned)
    empty = written.rows(written.WRITE, b"", [(True,)], number=(1 << 48) - 1)
    assert values(translated(set_positions([*LOG[:-1], empty, LOG[-1]]))) == values(translated(LOG))


def test_a_rollback_ends_a_transaction_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    log = set_positions([*log_of([1])[:-1], written.query("ROLLBACK")])
    changes = translated(log, options=TranslateOptions(boundaries=True))
    assert values(changes) == [(1, 0)]
    assert [status for status, _ in marks(changes)] == ["BEGIN", "END"]
    assert "rolled back" in caplog.text


def test_an_unreadable_event_stops_or_is_skipped(caplog: pytest.LogCaptureFixture) -> None:
    log = log_of([1], [2])
    log[3] = written.event(written.WRITE, b"")  # the rows of the first event
    with pytest.raises(ConversionError, match="malformed event of type 30 and 19 bytes"):
        translated(log)
    found = translated(log, options=TranslateOptions(on_failure="warn", boundaries=True))
    assert [value for value, _ in values(found)] == [2]
    assert marks(found)[-1][0] == "END"
    assert "is skipped: malformed event of type 30" in caplog.text
    assert [change for change in found if isinstance(change, LeftOut)] == [LeftOut(skipped=1)]


def test_lost_events_stop_the_task(caplog: pytest.LogCaptureFixture) -> None:
    incident = set_positions([written.event(26, b"\1\0\x04LOST")])
    with pytest.raises(StopError, match=r"lost events in its log before b\.000001"):
        translated(incident)
    translated(incident, options=TranslateOptions(on_failure="warn"))
    assert "lost events" in caplog.text


def test_a_rotation_goes_on_in_the_next_file() -> None:
    changes = translated([*LOG, written.rotate("b.000002", 4)])
    last = positions(changes)[-1]
    assert (last.file, last.pos) == ("b.000002", 4)
