"""Restarts within a transaction of MariaDB, with and without the statements of its rows."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import Change, Progress
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.position.binlog_position import BinlogPosition, position_of
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.sample_log import (
    AFTER_DDL,
    log_of,
    mariadb_gtid,
    set_positions,
    translated,
    values,
)

STATEMENTS = st.lists(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=2), min_size=1))


@given(STATEMENTS)
def test_a_restart_without_the_statements_of_mariadb_loses_and_repeats_nothing(
    statements: list[list[list[int]]],
) -> None:
    """The server leaves their events out, which were counted before the restart."""
    log = annotated(statements)
    log_without = [event for event in log if event[4] != ANNOTATE_ROWS]
    whole = values(translated(log_without, AFTER_DDL))
    seen: list[tuple[int, int]] = []
    for change in translated(log, AFTER_DDL, TranslateOptions(queries=True)):
        seen += values([change])
        if isinstance(change, Progress):
            at: Any = change.position
            resumed = position_of(at.to_offset(), is_mariadb=True)
            if at.in_group:
                assert seen + values(translated(log_without, resumed)) == whole
                assert seen + values(with_statements(log, resumed)) == whole


@given(STATEMENTS)
def test_a_restart_with_the_statements_of_mariadb_loses_nothing(
    statements: list[list[list[int]]],
) -> None:
    """The server left their events out before the restart, and the offset counts none."""
    log = annotated(statements)
    whole = values(with_statements(log, AFTER_DDL))
    seen: list[tuple[int, int]] = []
    for change in translated([event for event in log if event[4] != ANNOTATE_ROWS], AFTER_DDL):
        seen += values([change])
        if isinstance(change, Progress):
            at: Any = change.position
            assert "millrace_annotations" not in at.to_offset()
            if at.in_group:
                rest = values(with_statements(log, at))
                assert len(seen + rest) >= len(whole)
                assert whole[len(whole) - len(rest) :] == rest


ANNOTATE_ROWS = 160


def annotated(statements: list[list[list[int]]]) -> list[bytes]:
    """A transaction of MariaDB whose statements change rows in one or several events."""
    log = [mariadb_gtid(5, 12)]
    for number, rows in enumerate(statements):
        log += [written.event(ANNOTATE_ROWS, b"UPDATE %d" % number), *log_of(*rows)[2:-1]]
    return set_positions([*log, written.xid()])


def with_statements(log: list[bytes], start: BinlogPosition) -> list[Change]:
    return translated(log, start, TranslateOptions(queries=True))
