"""`python -m tests.unit.native.measure_transactions [rows [statements]]`: the CPU of transactions.

A log of transactions with so many rows, one by default, of so many statements, is read, translated
and encoded, as MySQL and as MariaDB write it; with whole transactions and event by event.
Microseconds a transaction, each stage with those before it; the best of several turns.
"""

from __future__ import annotations

import gc
import struct
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from bench.tables import sb_row
from connector.capture.change import Change, EventBatch
from connector.capture.selection import selection
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.record import Message
from connector.debezium.column_rules import column_rules
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions, context_headers
from connector.debezium.table_schemas import SchemaOptions, TableSchemas, key_columns
from connector.debezium.topics import TopicNaming
from connector.mysql.binlog.packets import EventPackets
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.translate import Translator
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.binlog.whole_transactions import LogEvent
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.source_block import ROW_SLOT, SourceBlock, source_schema
from connector.mysql.types import codec_of
from connector.mysql.types.type_options import TypeOptions
from connector.plugin import TaskConverters
from connector.task.pipeline import Pipeline
from connector.task.row_groups import group_rows
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.native.measure import SB

ROWS = 20_000
STATEMENTS = 1
TURNS = 7
READ_SIZE = 65_536
SERVER = uuid.UUID("11111111-2222-3333-4444-555555555555")
_STATUS = bytes.fromhex("0000000000012000000000000000000603737464041700ff00ff001200")
_RANDOM = table_of(SB)
_COLUMNS = (replace(_RANDOM.columns[0], optional=False), *_RANDOM.columns[1:])
TABLE = Table(TableId("bench", "orders"), _COLUMNS, ("c0",))
NAMING, SOURCE = TopicNaming("srv"), source_schema("mysql")


def events(number: int, rows: int, *, mariadb: bool) -> Iterator[tuple[int, bytes]]:
    """Yield types and bodies of the events of a transaction."""
    sequence = number.to_bytes(8, "little")
    if mariadb:
        yield 162, sequence + bytes(4) + b"\x0c" + bytes(6)
    else:
        micros = (1_700_000_000_000_000 + number).to_bytes(7, "little")
        yield 33, b"\1" + SERVER.bytes + sequence + b"\2" + bytes(16) + micros + b"\xfc\1\1" * 2
        yield 2, written.query_body(b"BEGIN", "bench", 11, _STATUS)
    present = (True,) * len(SB)
    for statement in range(STATEMENTS):
        yield 19, written.table_map(SB, database="bench")[19:]
        numbers = range(number * rows + statement, number * rows + rows, STATEMENTS)
        images = b"".join(_RANDOM.image(sb_row(row), present) for row in numbers)
        yield (23 if mariadb else 30), written.rows_body(23 if mariadb else 30, images, [present])
    yield 16, sequence


def reads(rows: int, *, mariadb: bool) -> list[bytes]:
    """Return the packets of all transactions as they are read."""
    packets, position = [], 4
    for number in range(1, ROWS // rows + 1):
        for kind, body in events(number, rows, mariadb=mariadb):
            size = 19 + len(body) + 4
            position += size
            head = struct.pack("<IBIIIH", 1_700_000_000, kind, 7, size, position, 0)
            packets.append((size + 1).to_bytes(3, "little") + b"\0\0" + head + body + bytes(4))
    log = b"".join(packets)
    return [log[start : start + READ_SIZE] for start in range(0, len(log), READ_SIZE)]


def batches(log: list[bytes], *, whole: bool) -> Iterator[list[LogEvent]]:
    packets, rest = EventPackets(checksums=True, finds_transactions=whole), b""
    for chunk in log:
        rest, _ = yield from packets.batches(rest + chunk)


def changes(log: list[bytes], *, mariadb: bool, whole: bool) -> Iterator[Change]:
    tables = Tables()
    tables.put(TABLE)
    schema = _schema()
    plans = TablePlans(tables, lambda _: schema, lambda _: True, "fail")
    gtids = MariaDbGtidSet() if mariadb else GtidSet()
    start = BinlogPosition("b.000001", 4, gtids)
    options = TranslateOptions(gtid_times=not mariadb, logs_rollbacks=mariadb)
    block = SourceBlock("3", "mysql", "srv")
    translator = Translator(Coordinates(start), plans, block, lambda *_: (), options, start)
    for batch in batches(log, whole=whole):
        yield from translator.changes(batch)


def _schema() -> TableEventSchema:
    schemas = TableSchemas(
        NAMING,
        SOURCE,
        selection({}),
        lambda _, known: codec_of(known, TypeOptions()),
        key_columns(None),
        SchemaOptions(column_rules({})),
    )
    return schemas.of(TABLE)


def encode(found: Iterator[Change]) -> None:
    headers = context_headers("mysql", "srv", 0, "run")
    options = EventOptions("mysql", NAMING, SOURCE, ROW_SLOT, context_headers=headers)
    json = JsonConverter({"schemas.enable": "false"})
    converters = TaskConverters(json, json, SimpleHeaderConverter())
    pipeline = Pipeline(DebeziumEncoder(options), converters)
    parts: list[Iterable[Message]] = []
    for group in group_rows(found):
        if isinstance(group, (list, EventBatch)):
            pipeline.write(group, parts)
    count = sum(len(list(part)) for part in parts)
    assert count == ROWS


def best(work: Callable[[], object]) -> float:
    """Return the CPU seconds of the best turn."""
    turns = []
    for _ in range(TURNS):
        start = time.process_time()
        work()
        turns.append(time.process_time() - start)
    return min(turns)


def measure(rows: int, *, mariadb: bool, whole: bool) -> None:
    """Print the microseconds a transaction."""
    log = reads(rows, mariadb=mariadb)
    stages: dict[str, Callable[[], object]] = {
        "read": lambda: sum(map(len, batches(log, whole=whole))),
        "translate": lambda: sum(1 for _ in changes(log, mariadb=mariadb, whole=whole)),
        "encode": lambda: encode(changes(log, mariadb=mariadb, whole=whole)),
    }
    found = "  ".join(
        f"{name} {best(work) / (ROWS // rows) * 1e6:6.2f}" for name, work in stages.items()
    )
    print(f"{'MariaDB' if mariadb else 'MySQL':8} {'whole' if whole else 'events':7} {found}")


if __name__ == "__main__":
    gc.freeze()
    STATEMENTS = int(sys.argv[2]) if sys.argv[2:] else 1
    for database in (False, True):
        for way in (False, True):
            measure(int(sys.argv[1]) if sys.argv[1:] else 1, mariadb=database, whole=way)
