"""Whole transactions lead to the same changes and positions as their events one by one."""

from __future__ import annotations

import copy
import logging
import os
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any, Never

import pytest

from connector import native
from connector.capture.change import Change, EventBatch, Operation, RowChanges
from connector.capture.tables import Table, TableId, Tables
from connector.mysql.binlog.event_types import TABLE_MAP
from connector.mysql.binlog.events import QueryRan
from connector.mysql.binlog.packets import EventPackets
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.translate import Translator
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.binlog.whole_transactions import LogEvent, Scan
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.source_block import SourceBlock
from connector.native import Transaction, is_transaction
from tests.fixtures.single_changes import single_changes
from tests.unit.mysql.binlog.images import RandomTable, table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.mysql.binlog.table_rows import codec_of
from tests.unit.native import measure_transactions
from tests.unit.native.damage import damaged
from tests.unit.native.random_logs import DATABASES, FILE, SERVER, TABLE, random_log, split

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
LOGS = int(os.environ.get("DAMAGED_LOGS", "400"))
SKIPPED: list[tuple[Operation, ...]] = [(), (), ("d",), ("c",), ("u",), ("c", "d")]
SEED = int(os.environ.get("DAMAGED_SEED", "11"))


def batches(
    chunks: Iterable[bytes], *, checksums: bool, whole: bool, queries: bool = False
) -> Iterator[list[LogEvent]]:
    """Yield what a connection yields that gets some data piece by piece."""
    packets = EventPackets(checksums=checksums, reads_queries=queries)
    if not whole:
        packets._scan = finds_ends_only(packets._scan)
    rest = b""
    needed = 0
    for chunk in chunks:
        rest += chunk
        if len(rest) >= needed:
            rest, needed = yield from packets.batches(rest)


def finds_ends_only(scan: Scan) -> Scan:
    """Return a scan that finds no transactions, but awaits the rest of those that are cut off."""

    def scan_ends(data: bytes, start: int, trailer: int) -> tuple[list[Transaction], int, int]:
        found, _, needed = scan(data, start, trailer)
        return [], start, 0 if found else needed

    return scan_ends


class Side:
    """One way to read a log."""

    def __init__(self, start: BinlogPosition, options: TranslateOptions) -> None:
        tables = Tables()
        self._tables = tables
        for name in DATABASES.values():
            self._define(name)
        codec = codec_of(TABLE)
        plans = TablePlans(
            tables,
            lambda table: replace(codec, table=table, topic=f"version {tables.version}"),
            lambda name: name.database != "hidden",
            "fail",
        )
        self._at = Coordinates(start)
        self._found: list[Any] = []
        self.whole = self.in_batches = 0
        block = SourceBlock("3", "mysql", "srv")
        self._translator = Translator(self._at, plans, block, self._statement, options, start)
        self._may_batch = self._translator._batches is not None

    def _define(self, database: str) -> None:
        self._tables.put(Table(TableId(database, "orders"), TABLE.columns))

    def _statement(self, event: QueryRan, at: Coordinates, micros: int) -> Iterable[Never]:
        self._define(DATABASES[108])
        self._found.append((event.sql, copy.copy(vars(at)), micros))
        return ()

    def read(self, events: Iterator[list[LogEvent]]) -> list[Any]:
        """Return all changes, each with the state of the coordinates; also what error ends it."""
        try:
            for batch in events:
                self.whole += sum(is_transaction(event) for event in batch)
                for change in self._translator.changes(batch):
                    self._add(change)
        except Exception as error:  # noqa: BLE001 - whichever it is, it has to be the same
            self._found.append((type(error), str(error), vars(self._at)))
        return self._found

    def _add(self, change: Change) -> None:
        """Add a change, and the state of the coordinates: behind a batch only that at its end."""
        if isinstance(change, EventBatch):
            self.in_batches += len(change.events)
            check_kinds(change)
            self._found += map(_described, change.changes())
        elif isinstance(change, RowChanges) and self._may_batch:
            self._found.append(_described(change))
        else:
            what = _described(change) if isinstance(change, RowChanges) else change
            self._found.append((what, copy.deepcopy(vars(self._at))))


def check_kinds(batch: EventBatch) -> None:
    """Check what a batch says of its events."""
    for number, kind in enumerate(batch.kinds):
        counts = [len(rows) for of, rows, _ in batch.events if of == number]
        assert (kind.rows, kind.longest) == (sum(counts), max(counts))


def _described(change: RowChanges) -> Any:
    rows, place = list(change.rows), (change.source, change.first_row, change.position_text)
    return change.codec.table.id, change.codec.topic, change.op, rows, place


def options_of(chance: random.Random, opening: str) -> TranslateOptions:
    """Return options; half of them allow batches."""
    plain = TranslateOptions(
        skipped=frozenset(chance.choice(SKIPPED[:4])),
        gtid_times=opening != "mariadb" and chance.random() < 0.6,
        logs_rollbacks=opening == "mariadb" or chance.random() < 0.2,
    )
    if chance.random() < 0.5:
        return plain
    return replace(
        plain,
        skipped=frozenset(chance.choice(SKIPPED)),
        queries=chance.random() < 0.2,
        captures_gtid=chance.choice((None, None, None, lambda source: source != str(SERVER))),
        on_failure=chance.choice(("fail", "skip")),
        boundaries=chance.random() < 0.2,
        position_headers=chance.random() < 0.2,
    )


def start_of(chance: random.Random, opening: str, starts: list[int]) -> BinlogPosition:
    """Return a position, perhaps one within a transaction or without GTIDs."""
    done: Any = MariaDbGtidSet({}) if opening == "mariadb" else GtidSet()
    gtids = None if opening == "anonymous" or chance.random() < 0.2 else done
    if chance.random() < 0.6:
        return BinlogPosition(FILE, starts[0], gtids)
    event, row, server = chance.randrange(5), chance.randrange(3), chance.choice((None, "s"))
    first = chance.choice(starts[:8])
    return BinlogPosition(FILE, first, gtids, event=event, row=row, server=server)


def compare(chance: random.Random, *, damages: bool) -> tuple[int, int]:
    """Read a random log both ways.

    Return how many transactions were found, and how many events were translated in batches.
    """
    log = random_log(chance)
    log.compresses = not damages
    data = log.packets(chance.choice((1, 3, 8, 12, 30)))
    if damages:
        data = damaged(chance, data)
    chunks = split(chance, data)
    start, options = start_of(chance, log.opening, log.starts), options_of(chance, log.opening)
    found = []
    read = partial(batches, chunks, checksums=log.checksums, queries=options.queries)
    for whole in (False, True):
        side = Side(start, options)
        found.append(side.read(read(whole=whole)))
    first, second = found
    assert first == second, (start, options, log.opening)
    return side.whole, side.in_batches


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def test_random_logs() -> None:
    chance = random.Random(SEED)
    counts = [compare(chance, damages=False) for _ in range(LOGS)]
    transactions, in_batches = map(sum, zip(*counts, strict=True))
    assert transactions > LOGS
    assert in_batches > LOGS / 2


def test_damaged_logs() -> None:
    chance = random.Random(SEED + 1)
    assert sum(compare(chance, damages=True)[0] for _ in range(LOGS)) > LOGS / 2


FEW = [[200] * 3] * 4 + [[200]]
MANY = [[1] * 512] * 3 + [[1] * 462]
STATEMENTS = [[3] * 171, [3] * 129] * 2
LARGE = [[600], [600]]


@pytest.mark.parametrize(
    ("all_rows", "rows", "statements", "expected"),
    [
        (3000, 200, 1, FEW),
        (3000, 1000, 1, [[1000]]),
        (2000, 1, 1, MANY),
        (3600, 900, 300, STATEMENTS),
        (3600, 1200, 2, LARGE),
    ],
)
def test_batches_are_bounded(
    all_rows: int,
    rows: int,
    statements: int,
    expected: list[list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The messages of a batch are in memory together. Python has to see the first transactions."""
    monkeypatch.setattr(measure_transactions, "ROWS", all_rows)
    monkeypatch.setattr(measure_transactions, "STATEMENTS", statements)
    log = b"".join(measure_transactions.reads(rows, mariadb=False))
    changes = measure_transactions.changes([log], mariadb=False, whole=True)
    batches = [change for change in changes if isinstance(change, EventBatch)]
    assert [[len(found) for _, found, _ in batch.events] for batch in batches] == expected


@pytest.mark.parametrize(
    ("all_rows", "rows", "size", "whole"),
    [(2000, 40, 700, 49), (3000, 1000, 65_536, 2), (9000, 3000, 65_536, 0)],
)
def test_the_rest_of_a_small_transaction_is_awaited(
    all_rows: int, rows: int, size: int, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first transaction teaches the table; one above 512 KiB is not awaited."""
    monkeypatch.setattr(measure_transactions, "ROWS", all_rows)
    monkeypatch.setattr(measure_transactions, "READ_SIZE", size)
    log = measure_transactions.reads(rows, mariadb=False)
    found = [event for batch in batches(log, checksums=True, whole=True) for event in batch]
    assert sum(map(is_transaction, found)) == whole
    assert len(found) == whole + 5 * (all_rows // rows - whole)


@pytest.mark.parametrize("statements", [48, 49, 100, 500])
def test_transactions_of_many_statements(statements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their changes are those of their events, in batches."""
    monkeypatch.setattr(measure_transactions, "ROWS", 3 * statements)
    monkeypatch.setattr(measure_transactions, "STATEMENTS", statements)
    log = [b"".join(measure_transactions.reads(statements, mariadb=False))]
    found: list[list[Any]] = []
    for whole in (False, True):
        changes = list(measure_transactions.changes(log, mariadb=False, whole=whole))
        in_batches = sum(len(each.events) for each in changes if isinstance(each, EventBatch))
        assert in_batches == whole * statements
        single = single_changes(changes)
        found.append([_described(change) for change in single if isinstance(change, RowChanges)])
    assert len(found[0]) == 3 * statements
    assert found[0] == found[1]


@pytest.mark.parametrize(("tables", "whole"), [(1, 1), (100, 1), (101, 0)])
def test_transactions_of_many_tables(
    tables: int, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first transaction teaches the tables; with too many of them Python reads the second."""
    events = measure_transactions.events

    def events_of_tables(number: int, rows: int, *, mariadb: bool) -> Iterator[tuple[int, bytes]]:
        first, begin, (kind, described), (of_rows, changed), last = events(
            number, rows, mariadb=mariadb
        )
        yield from (first, begin)
        for table in range(tables):
            name = table.to_bytes(6, "little")
            yield kind, name + described[6:]
            yield of_rows, name + changed[6:]
        yield last

    monkeypatch.setattr(measure_transactions, "ROWS", 2)
    monkeypatch.setattr(measure_transactions, "events", events_of_tables)
    log = [b"".join(measure_transactions.reads(1, mariadb=False))]
    found = [event for batch in batches(log, checksums=True, whole=True) for event in batch]
    assert sum(map(is_transaction, found)) == whole
    assert len(found) == whole + (2 - whole) * (3 + 2 * tables)


@pytest.mark.parametrize(("queries", "whole"), [(False, 1), (True, 0)])
def test_transactions_with_texts_of_statements(
    queries: bool, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are found unless the texts are needed. The first transaction teaches the table."""
    events = measure_transactions.events

    def with_texts(number: int, rows: int, *, mariadb: bool) -> Iterator[tuple[int, bytes]]:
        for kind, body in events(number, rows, mariadb=mariadb):
            if kind == TABLE_MAP:
                yield 29, b"\6INSERT"
            yield kind, body

    monkeypatch.setattr(measure_transactions, "ROWS", 2)
    monkeypatch.setattr(measure_transactions, "events", with_texts)
    log = [b"".join(measure_transactions.reads(1, mariadb=False))]
    read = batches(log, checksums=True, whole=True, queries=queries)
    found = [event for batch in read for event in batch]
    assert sum(map(is_transaction, found)) == whole
    assert len(found) == whole + (2 - whole) * 6


@pytest.mark.parametrize("columns", [250, 251, 256, 257, 1000])
def test_tables_of_many_columns(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of([INTEGERS[4]] * columns)
    described = Table(TableId("bench", "orders"), table.columns)
    log = [b"".join(measure_of(table, described, monkeypatch).reads(2, mariadb=False))]
    found: list[list[Any]] = []
    for whole in (False, True):
        changes = list(measure_transactions.changes(log, mariadb=False, whole=whole))
        assert any(isinstance(change, EventBatch) for change in changes) == whole
        single = single_changes(changes)
        found.append([_described(change) for change in single if isinstance(change, RowChanges)])
    assert len(found[0]) == 10
    assert found[0] == found[1]


def measure_of(table: RandomTable, described: Table, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the measurement, for 20 rows of a table of integers."""
    changed = {
        "ROWS": 20,
        "SB": table.kinds,
        "TABLE": described,
        "_RANDOM": table,
        "sb_row": lambda row: tuple(range(row, row + len(table.kinds))),
    }
    for name, value in changed.items():
        monkeypatch.setattr(measure_transactions, name, value)
    return measure_transactions
