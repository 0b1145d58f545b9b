"""A SELECT of a chunk that is interrupted: its rows are read again through another session."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest

from connector.capture.incremental.chunk_source import TableRequest
from connector.capture.snapshot_plan import Plan
from connector.capture.tables import TableId
from connector.errors import DatabaseUnavailableError
from connector.mysql.source import MySqlSource
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sources import source


def test_an_interrupted_chunk_is_read_again(each_database: FreshDatabase) -> None:
    each_database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)")
    table = TableId(each_database.name, "t")
    with closing(source(each_database)) as captured:
        assert isinstance(captured, MySqlSource)
        captured.open()
        assert list(captured.snapshot(Plan("no_data", schema=True), None))
        with closing(captured.chunks(None, deletes_marks=False)) as chunks:
            schema = chunks.schema(table)
            assert schema is not None
            slow = TableRequest(table, "(SLEEP(30) = 0)")
            timer = threading.Timer(1.0, chunks.interrupt)
            timer.start()
            began = time.monotonic()
            with pytest.raises(DatabaseUnavailableError):
                chunks.read(schema, slow, None, None, 9)
            assert time.monotonic() - began < 15
            assert chunks.read(schema, TableRequest(table), None, None, 9).count == 2
            chunks.interrupt()  # between two statements
            assert chunks.read(schema, TableRequest(table), None, None, 9).count == 2
