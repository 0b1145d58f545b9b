"""Rows that post-processors read again: by keys of every type, and when they cannot be read."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from connector.capture.selection import selection
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.debezium.column_rules import column_rules
from connector.debezium.table_schemas import SchemaOptions, TableSchemas, key_columns
from connector.debezium.topics import topic_naming
from connector.errors import ReselectError
from connector.mysql.reselection.post_processors import ReselectOptions
from connector.mysql.reselection.reselection import Reselection
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.schema_rules import SchemaRules
from connector.mysql.session.addresses import Address, Addresses
from connector.mysql.session.connection import Connection
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.text_rows import TextRows
from connector.mysql.source_block import source_schema
from connector.mysql.types import codec_of
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.databases import FreshDatabase
from tools.stack import CAPTURE, MariaDb

TYPES = TypeOptions(placeholder=b"gone")
OLD = 0  # the time of an event whose row is not waited for
KEYS = {
    "INT UNSIGNED": "4294967295",
    "BIGINT UNSIGNED": "18446744073709551615",
    "DECIMAL(20,3)": "-1.5",
    "DOUBLE": "0.1",
    "CHAR(9)": "'it''s \\\\%s'",
    "VARBINARY(9)": "x'00ff27'",
    "BINARY(4)": "x'0100'",
    "DATE": "'1969-12-31'",
    "DATETIME": "'1969-12-31 23:59:59'",
    "DATETIME(3)": "'2026-11-21 20:57:00.123'",
    "DATETIME(6)": "'2026-11-21 20:57:00.123456'",
    "TIMESTAMP(6) NULL": "'2026-11-21 20:57:00.123456'",
    "TIMESTAMP NULL": "'2026-11-21 20:57:00'",
    "TIME(6)": "'-838:59:58.000001'",
    "TIME(0)": "'25:00:01'",
    "YEAR": "2026",
    "ENUM('a','b')": "'b'",
    "SET('a','b','c')": "'a,c'",
    "BIT(12)": "b'101000000001'",
    "TINYINT(1)": "-1",
}
LOSSY = {  # what a mode of times cannot hold: no row is found by it
    "connect": {"DATETIME(6)", "TIME(6)", "TIME(0)"},
    "isostring": {"TIME(6)", "TIME(0)"},
}


def settings_of(database: FreshDatabase) -> ConnectionSettings:
    server = database.server
    return ConnectionSettings(server.host, server.port, CAPTURE.user, CAPTURE.password)


def codec_for(database: FreshDatabase, types: TypeOptions, **keys: str) -> TableEventSchema:
    """Return the codec of table t as it is on the server."""
    tables = Tables()
    (_, ddl) = database.query("SHOW CREATE TABLE t")[0]
    DatabaseSchema(SchemaRules(), tables).apply(ddl, database.name)
    table = tables.get(TableId(database.name, "t"))
    assert isinstance(table, Table)
    return TableSchemas(
        topic_naming({"topic.prefix": "p"}),
        source_schema("mysql"),
        selection({}),
        lambda _, column: codec_of(column, types),
        key_columns(keys.get("message_key_columns")),
        SchemaOptions(column_rules(keys)),
    ).of(table)


def reselection(database: FreshDatabase, *, fails: bool = True, event_key: bool = False) -> Any:
    processor = ReselectOptions(lambda _: True, fails=fails, event_key=event_key)
    return closing(Reselection(settings_of(database), [processor], b"gone"))


def read(database: FreshDatabase, codec: TableEventSchema) -> tuple[Any, ...]:
    """Return the row of t as a snapshot reads it."""
    with closing(Connection(settings_of(database))) as connection:
        connection.execute("SET time_zone='+00:00'")
        names = ", ".join(f"`{column.column.name}`" for column in codec.columns)
        stream = connection.read_rows(f"SELECT {names} FROM {database.name}.t")
        (row,) = (row for batch in TextRows(codec.columns).read(stream) for row in batch)
        return row


@pytest.fixture(params=["adaptive_time_microseconds", "connect", "isostring", "nanoseconds"])
def types(request: pytest.FixtureRequest) -> TypeOptions:
    return TypeOptions(time_precision=request.param, placeholder=b"gone")


def test_keys_of_every_type(database: FreshDatabase, types: TypeOptions) -> None:
    for kind in KEYS.keys() - LOSSY.get(types.time_precision, set()):
        value = KEYS[kind]
        database.execute(
            "SET time_zone = '+00:00'",
            "DROP TABLE IF EXISTS t",
            f"CREATE TABLE t (k {kind}, v TEXT, UNIQUE (k))",
            f"INSERT INTO t VALUES ({value}, 'found')",
        )
        codec = codec_for(database, types, message_key_columns="(.*).t:k")
        row = read(database, codec)
        with reselection(database, event_key=True) as again:
            found = again.complete(codec, [(None, (row[0], "gone"))], frozenset(), OLD)
        assert found == [(None, row)], kind


@pytest.mark.parametrize("year", ["0000", "0099"])
@pytest.mark.parametrize("kind", ["DATE", "DATETIME(3)"])
def test_a_key_of_the_first_century_is_no_other_year(
    database: FreshDatabase, kind: str, year: str
) -> None:
    """For the server, a year of two digits is one of this century or the last."""
    types = TypeOptions(placeholder=b"gone", adjust_years=False, exact=True)
    database.execute(
        f"CREATE TABLE t (k {kind} PRIMARY KEY, v TEXT)",
        f"INSERT INTO t VALUES ('{year}-05-06', 'a')",
    )
    codec = codec_for(database, types)
    row = read(database, codec)
    database.execute("INSERT INTO t VALUES ('1999-05-06', 'b')")
    with reselection(database) as again:
        assert again.complete(codec, [(None, (row[0], "gone"))], frozenset(), OLD) == [(None, row)]


def test_what_is_missing_is_read_and_nothing_else(database: FreshDatabase) -> None:
    database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, n INT NOT NULL, d INT DEFAULT 3, v TEXT)",
        "INSERT INTO t VALUES (1, 5, 6, 7, 'v')",
    )
    codec = codec_for(database, TYPES)
    with reselection(database) as again:

        def completed(row: tuple[Any, ...], *lacking: int) -> Any:
            [(before, after)] = again.complete(codec, [(row, row)], frozenset(lacking), OLD)
            assert before == row
            return after

        assert completed((1, 0, 0, None, "")) == (1, 0, 0, None, "")
        assert completed((1, None, 0, None, "")) == (1, 5, 0, None, "")
        assert completed((1, 0, 0, None, "gone"), 2) == (1, 0, 6, None, "v")
        assert completed((1, 0, 0, None, ""), 3) == (1, 0, 0, 7, "")
        assert again.complete(codec, [((1, None, 0, 0, ""), None)], frozenset(), OLD) == [
            ((1, None, 0, 0, ""), None)
        ]


def test_a_row_that_is_gone(database: FreshDatabase, caplog: pytest.LogCaptureFixture) -> None:
    database.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
    codec = codec_for(database, TYPES)
    rows = [(None, (77, None))]
    with reselection(database, fails=False) as again:
        assert again.complete(codec, rows, frozenset(), OLD) == rows
    assert "is not in the table any more" in caplog.text
    assert "77" not in caplog.text.replace(database.name, "")
    with reselection(database) as again, pytest.raises(ReselectError, match="the row is not in"):
        again.complete(codec, rows, frozenset(), OLD)
    database.execute("DROP TABLE t")
    with reselection(database) as again, pytest.raises(ReselectError, match="error 1146"):
        again.complete(codec, rows, frozenset(), OLD)


def test_a_table_without_a_primary_key(database: FreshDatabase) -> None:
    database.execute("CREATE TABLE t (id INT, v INT)", "INSERT INTO t VALUES (1, 2)")
    codec = codec_for(database, TYPES, message_key_columns="(.*).t:id")
    rows = [(None, (1, None))]
    with reselection(database) as again, pytest.raises(ReselectError, match="has no primary key"):
        again.complete(codec, rows, frozenset(), OLD)
    with reselection(database, event_key=True) as again:
        assert again.complete(codec, rows, frozenset(), OLD) == [(None, (1, 2))]
    without_key = codec_for(database, TYPES)
    with reselection(database) as again:
        assert again.complete(without_key, rows, frozenset(), OLD) == rows


def test_a_session_that_was_ended_is_opened_again(database: FreshDatabase) -> None:
    database.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 2)")
    codec = codec_for(database, TYPES)
    with reselection(database) as again:
        for _ in range(2):
            found = again.complete(codec, [(None, (1, None))], frozenset(), OLD)
            assert found == [(None, (1, 2))]
            sessions = database.query(
                "SELECT id FROM information_schema.processlist WHERE user = %s", CAPTURE.user
            )
            database.execute(*(f"KILL {number}" for (number,) in sessions))


def test_rows_are_read_from_the_captured_server(database: FreshDatabase, mariadb: MariaDb) -> None:
    """After a failover the server before may still answer, with old values."""
    made = "t (id INT PRIMARY KEY, v TEXT)"
    database.execute(f"CREATE TABLE {made}", "INSERT INTO t VALUES (1, 'old')")
    mariadb.execute(
        f"CREATE DATABASE {database.name}",
        f"CREATE TABLE {database.name}.{made}",
        f"INSERT INTO {database.name}.t VALUES (1, 'new')",
    )
    first, second = (Address(one.host, one.port) for one in (database.server, mariadb))
    servers = Addresses([first, second])
    settings = replace(settings_of(database), servers=servers)
    codec = codec_for(database, TYPES)
    processor = ReselectOptions(lambda _: True, fails=True)
    with closing(Reselection(settings, [processor], b"gone")) as again:
        found = []
        for servers.current in (first, second, first):
            found += again.complete(codec, [(None, (1, None))], frozenset(), OLD)
    mariadb.execute(f"DROP DATABASE {database.name}")
    assert [after[1] for _, after in found if after is not None] == ["old", "new", "old"]


def test_what_is_cut_or_masked_stays_so(database: FreshDatabase) -> None:
    database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, cut TEXT, masked TEXT)",
        "INSERT INTO t VALUES (1, 'long text', 'secret')",
    )
    rules = {"column.truncate.to.4.chars": ".*cut", "column.mask.with.3.chars": ".*masked"}
    codec = codec_for(database, TYPES, **rules)
    with reselection(database) as again:
        found = again.complete(codec, [(None, (1, None, "***"))], frozenset((1, 2)), OLD)
    assert found == [(None, (1, "long", "***"))]
