"""The same row has the same value from the snapshot and from the log, with compat.mode=exact.

The tables of the conformance tests' scenarios of types are read by a snapshot; then their rows
are copied on the server into tables like them, which are streamed.
"""

from __future__ import annotations

import itertools
import json
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pymysql
import pytest

from tests.fixtures.connectors import connector
from tests.fixtures.scenario import Scenario, load
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, DatabaseServer, KafkaBroker, MillraceWorker

CORE = "enum_commas floats json_values temporal zero_dates"
ALL = f"""{CORE}
    binaries bits charsets_multi_byte charsets_multi_byte_mariadb charsets_single_byte decimals
    enums_sets fractions_of_seconds geometries geometries_srid integers json_documents
    mariadb_types strings types_basic types_mariadb types_mysql vectors"""
CHARACTER_SETS = """
CREATE TABLE floats.texts (v CHAR(9) CHARACTER SET latin1, w TEXT CHARACTER SET armscii8)
INSERT INTO floats.texts VALUES (_latin1 x'80818d', _armscii8 x'41b2b4ff'), ('', NULL)"""
MODES: dict[str, dict[str, str]] = {
    "default": {},
    "texts": {
        "time_precision_mode": "isostring",
        "decimal_handling_mode": "string",
        "binary_handling_mode": "hex",
    },
    "approximate": {
        "time_precision_mode": "connect",
        "decimal_handling_mode": "double",
        "binary_handling_mode": "base64",
        "bigint_unsigned_handling_mode": "precise",
    },
    "microseconds": {"time_precision_mode": "microseconds", "enable_time_adjuster": "false"},
}
COPIES = "copies"


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        pytest.param(CORE, "default", id="core"),
        *(pytest.param(ALL, mode, id=mode, marks=pytest.mark.slow) for mode in MODES),
    ],
)
@pytest.mark.parametrize("server", ["mysql", "mariadb"])
def test_rows_are_equal(
    request: pytest.FixtureRequest,
    millrace: MillraceWorker,
    broker: KafkaBroker,
    topics: Topics,
    server: str,
    names: str,
    mode: str,
) -> None:
    database: DatabaseServer = request.getfixturevalue(server)
    scenarios = [one for one in load() if one.name in names.split() and server in one.servers]
    databases = [COPIES, *(name for one in scenarios for name in one.databases)]
    prefix = f"same{uuid.uuid4().hex[:8]}"
    config = connector(
        database, broker, prefix, ",".join(databases), compat_mode="exact", **MODES[mode]
    )
    with (
        closing(ConnectClient(millrace.url)) as client,
        database.connect(autocommit=True) as session,
    ):
        try:
            _make(session, scenarios)
            assert _try(session, f"CREATE DATABASE {COPIES}")
            client.create(prefix, config)
            client.wait_for(prefix, "RUNNING")
            _wait_for_stream(client, session, topics, prefix)
            tables = _copy(session, databases[1:])
            _wait_for_stream(client, session, topics, prefix)
            _compare(_rows(topics, prefix), tables)
        finally:
            client.delete(prefix)
            for name in databases:
                _try(session, f"DROP DATABASE IF EXISTS `{name}`")
            topics.delete([name for name in topics.names() if prefix in name])


def _make(session: Any, scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        for phase in ("before", "streaming"):
            for statement in scenario.phases[phase]:
                _try(session, statement)
    for statement in CHARACTER_SETS.splitlines()[1:]:
        assert _try(session, statement)
    # for labels beyond 16 bits SHOW CREATE TABLE returns only a question mark
    _try(session, "UPDATE enums.t SET d = NULL WHERE d = '😀'")


def _try(session: Any, statement: str) -> bool:
    try:
        with session.cursor() as cursor:
            cursor.execute(statement)
    except pymysql.MySQLError:
        return False
    return True


def _copy(session: Any, names: list[str]) -> dict[tuple[str, str], tuple[str, str]]:
    """Copy each table with its rows; return which is a copy of which."""
    assert _try(session, "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00'")
    numbers = itertools.count()
    copies = {}
    for database, table, columns in list(_tables(session, names)):
        copy = f"c{next(numbers)}"
        held = ", ".join(columns)
        if _try(session, f"CREATE TABLE {COPIES}.{copy} LIKE `{database}`.`{table}`") and _try(
            session,
            f"INSERT INTO {COPIES}.{copy} ({held}) SELECT {held} FROM `{database}`.`{table}`",
        ):
            copies[COPIES, copy] = (database, table)
    return copies


def _tables(session: Any, names: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    marks = ", ".join(["%s"] * len(names))
    with session.cursor() as cursor:
        cursor.execute(
            "SELECT table_schema, table_name, column_name FROM information_schema.columns "
            f"JOIN information_schema.tables USING (table_schema, table_name) "
            f"WHERE table_type = 'BASE TABLE' AND table_schema IN ({marks}) "
            "AND extra NOT LIKE '%% GENERATED' ORDER BY 1, 2, ordinal_position",
            names,
        )
        rows = cursor.fetchall()
    for key, group in itertools.groupby(rows, lambda row: row[:2]):
        yield *key, [f"`{row[2].replace('`', '``')}`" for row in group]


def _wait_for_stream(client: ConnectClient, session: Any, topics: Topics, prefix: str) -> None:
    """Wait until what is written now is streamed, and so all before it was sent."""
    table = f"m{uuid.uuid4().hex[:8]}"
    topic = f"{prefix}.{COPIES}.{table}"
    assert _try(session, f"CREATE TABLE {COPIES}.{table} (id SERIAL)")

    def is_streamed() -> bool:
        assert client.state(prefix)[0] == "RUNNING", client.state(prefix)[1]
        assert _try(session, f"INSERT INTO {COPIES}.{table} VALUES ()")
        return any(message.payload()["op"] == "c" for message in topics.read(topic))

    wait_for(is_streamed, 120, topic)


def _rows(topics: Topics, prefix: str) -> dict[tuple[str, str], Counter[str]]:
    """Return the rows of each table's events."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    names = [name for name in topics.names() if name.startswith(f"{prefix}.")]
    for messages in topics.read_all(names).values():
        for message in messages:
            event = message.payload()
            place = event["source"]["db"], event["source"]["table"]
            found[place][json.dumps(event["after"], sort_keys=True)] += 1
    return found


def _compare(
    rows: dict[tuple[str, str], Counter[str]], tables: dict[tuple[str, str], tuple[str, str]]
) -> None:
    pairs = [(table, rows[table], rows[copy]) for copy, table in tables.items()]
    assert len(pairs) > 12
    assert sum(read.total() for _, read, _ in pairs) > 100
    unlike = [
        f"{table}: read {list((read - streamed).items())[:2]}, streamed "
        f"{list((streamed - read).items())[:2]}"
        for table, read, streamed in pairs
        if read != streamed
    ]
    assert not unlike, "\n".join(unlike)[:9000]
