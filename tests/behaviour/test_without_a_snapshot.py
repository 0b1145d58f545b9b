"""Starts that read nothing: the whole log is streamed, as far as the server has it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from connector.capture.change import Progress, RowChanges
from connector.capture.engine import Engine, EngineOptions
from connector.capture.snapshot_plan import Mode
from tests.fixtures.databases import fresh_database
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tests.fixtures.worker import wait_for
from tools.stack import DatabaseServer, MariaDb, MySql97, Workspace

Make = Callable[..., DatabaseServer]
SERVERS = pytest.mark.parametrize("make", [MySql97, MariaDb])


def captured(engine: Engine[Any], offset: dict[str, Any] | None, last: int) -> Any:
    """Capture up to the row with an id and its commit; return the ids and the offset."""
    ids: list[int] = []
    for change in single_changes(engine.changes(offset)):
        if isinstance(change, RowChanges):
            ids += [after[0] for _, after in change.rows if after is not None]
        if isinstance(change, Progress) and not change.in_transaction and last in ids:
            return ids, change.position.to_offset()
    raise AssertionError("the stream has ended")


def nothing(_has_offset: bool, _in_snapshot: bool) -> Mode:
    return Mode(schema=False, data=False, stream=True)


@SERVERS
@pytest.mark.parametrize("mode", ["never", "configuration_based"])
def test_changes_before_the_first_start_are_streamed(
    workspace: Workspace, make: Make, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    options = EngineOptions(mode)
    with make(workspace) as server, fresh_database(server) as database:
        database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
        server.execute("FLUSH BINARY LOGS")
        database.execute("ALTER TABLE t ADD COLUMN v INT", "INSERT INTO t VALUES (2, 2), (3, 3)")
        made = source(database)
        options = EngineOptions(mode, configured_mode=nothing)
        ids, offset = captured(Engine(made, options), None, 3)
        assert ids == [1, 2, 3]
        assert "probably purged" not in caplog.text
        made.close()
        database.execute("INSERT INTO t VALUES (4, 4)")
        ids, _ = captured(Engine(made, EngineOptions("never")), offset, 4)
        assert ids == [4], "the position is kept, and the definition of the table"
        made.close()


@SERVERS
def test_of_a_log_that_was_purged_the_rest_is_streamed_with_a_warning(
    workspace: Workspace, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with make(workspace) as server, fresh_database(server) as database:
        database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
        server.execute("FLUSH BINARY LOGS")
        ((newest, *_),) = server.query("SHOW BINARY LOGS")[-1:]

        def is_purged() -> bool:
            server.execute(f"PURGE BINARY LOGS TO '{newest}'")
            return bool(server.query("SHOW BINARY LOGS")[0][0] == newest)

        wait_for(is_purged)
        database.execute("INSERT INTO t VALUES (2)")
        made = source(database)
        ids, offset = captured(Engine(made, EngineOptions("never")), None, 2)
        assert ids == [2], "the definition was found although its statement is purged"
        assert f"The log begins with {newest}: the server has probably purged" in caplog.text
        made.close()
        database.execute("INSERT INTO t VALUES (3)")
        ids, _ = captured(Engine(made, EngineOptions("never")), offset, 3)
        assert ids == [3], "what was purged is part of the position"
        made.close()
