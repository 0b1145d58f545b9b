"""Tables that other tables replace while they are read in chunks: no row of the new ones is lost.

The log has no events of the rows with which a table takes the name of another one. All tables are
read at the same time, and replaced when a part of each one is read.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from tests.fixtures.environment import LONG, Environment, environment
from tests.snapshots.incremental import SIGNALS
from tests.snapshots.resumable import RESUMABLE, is_complete, keys_read, read_up_to
from tools.stack import OWNER, DatabaseServer, KafkaBroker, MySql97, Workspace

ROWS = 4_000
ATTEMPTS = 10
SLOW = {"incremental_snapshot_chunk_size": "10", "millrace_incremental_snapshot_threads": "9"}
REPLACEMENTS: Mapping[str, list[str]] = {
    "at_once": ["RENAME TABLE {t} TO {t}_old, {t}_new TO {t}"],
    "by_two": ["RENAME TABLE {t} TO {t}_old", "RENAME TABLE {t}_new TO {t}"],
    "hidden": ["RENAME TABLE {t} TO {t}_gone", "RENAME TABLE {t}_secret TO {t}"],
    "dropped": ["DROP TABLE {t}", "ALTER TABLE {t}_secret RENAME TO {t}"],
    "given_up": ["RENAME TABLE {t} TO {t}_old"],
}
RENAMED = ("at_once", "by_two", "given_up")
REPLACED = tuple(name for name in REPLACEMENTS if name != "given_up")
INCLUDED = r"{d}.(items|ledger|finish|.*_old|.*_new|" + "|".join(REPLACEMENTS) + ")"
MADE = "CREATE TABLE {t} (id INT PRIMARY KEY, v VARCHAR(9))"


def prepare(at: Environment) -> None:
    """Make the tables, and those that replace them: with other rows behind and before them."""
    at.server.execute(f"USE {at.name}", SIGNALS)
    for name in REPLACEMENTS:
        fill = f"INSERT INTO {name} SELECT id, 'old' FROM items"
        at.server.execute(f"USE {at.name}", MADE.format(t=name), fill)
        for other in (f"{name}_new", f"{name}_secret"):
            fill = f"INSERT INTO {other} SELECT 2 * id - {ROWS}, 'new' FROM items"
            at.server.execute(f"USE {at.name}", MADE.format(t=other), fill)


def replace_tables(at: Environment) -> None:
    """Replace the tables in the middle; the stream comes between two statements of one."""
    at.wait(
        lambda: all(read_up_to(at, name) > ROWS // 20 for name in REPLACEMENTS),
        "a part of each table",
    )
    for step in range(2):
        for name, statements in REPLACEMENTS.items():
            for statement in statements[step : step + 1]:
                at.server.execute(f"USE {at.name}", statement.format(t=name))
        time.sleep(1)
    assert not is_complete(at), "the snapshot was over before the tables were replaced"


def check_rows(at: Environment) -> None:
    """Every row of each table is in its topic; a consumer may find new topics later."""
    at.wait(lambda: is_complete(at), "the end of the snapshot", LONG)
    assert "failed" not in at.status()[1], at.status()
    for number in range(1, ATTEMPTS + 1):
        at.finish(number)
        missing = missing_rows(at)
        if not missing:
            return
        time.sleep(1)
    raise AssertionError(f"so many rows are lost: {missing}")


def missing_rows(at: Environment) -> dict[str, int]:
    """Return how many rows of a table that was renamed, or took a name, its topic lacks."""
    new = {2 * number - ROWS for number in range(1, ROWS + 1)}
    expected = dict.fromkeys(REPLACED, new)
    expected |= {f"{name}_old": set(range(1, ROWS + 1)) for name in RENAMED}
    missing = {name: len(keys - set(keys_read(at, name))) for name, keys in expected.items()}
    return {name: count for name, count in missing.items() if count}


@pytest.mark.parametrize("name", ["mysql", "mariadb"])
def test_a_table_that_is_replaced_is_read_again(
    workspace: Workspace, broker: KafkaBroker, request: pytest.FixtureRequest, name: str
) -> None:
    with environment(workspace, broker, request.getfixturevalue(name), rows=ROWS) as at:
        prepare(at)
        at.create(**(RESUMABLE | SLOW), table_include_list=INCLUDED.format(d=at.name))
        replace_tables(at)
        check_rows(at)


def test_a_table_of_a_signal_that_is_replaced_is_read_again(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer
) -> None:
    """With watermarks in a table, and after a kill behind the statements."""
    with environment(workspace, broker, mysql, rows=ROWS) as at:
        prepare(at)
        at.create(
            **SLOW,
            database_user=OWNER.user,
            database_password=OWNER.password,
            snapshot_mode="no_data",
            signal_data_collection=f"{at.name}.signals",
            table_include_list=INCLUDED.format(d=at.name),
        )
        at.wait_for_stream()
        names = ", ".join(f'"{at.name}.{name}"' for name in REPLACEMENTS)
        data = f'{{"data-collections": [{names}]}}'
        mysql.execute(f"INSERT INTO {at.name}.signals VALUES ('s', 'execute-snapshot', '{data}')")
        replace_tables(at)
        at.worker.kill()
        at.worker.start()
        check_rows(at)


def test_a_server_that_ignores_the_case_of_names(workspace: Workspace, broker: KafkaBroker) -> None:
    """The log has the names as the statement writes them."""
    server = MySql97(workspace, options=["--lower-case-table-names=1"])
    server.start()
    try:
        with environment(workspace, broker, server, rows=ROWS) as at:
            prepare(at)
            included = INCLUDED.format(d=at.name)
            at.create(**(RESUMABLE | SLOW), table_include_list=included)
            at.wait(lambda: read_up_to(at, "at_once") > ROWS // 20, "a part of the table")
            rename = "RENAME TABLE AT_ONCE TO at_once_old, At_Once_New TO at_once"
            server.execute(f"USE {at.name}", rename)
            assert not is_complete(at), "the snapshot was over before the table was replaced"
            at.wait(lambda: is_complete(at), "the end of the snapshot", LONG)
            at.finish()
            new = {2 * number - ROWS for number in range(1, ROWS + 1)}
            assert new <= set(keys_read(at, "at_once"))
    finally:
        server.kill()
