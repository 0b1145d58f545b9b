"""What a server must be like, asked of a server that is a table of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from connector.errors import AccessDeniedError, StopError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.position.server_log import can_resume
from connector.mysql.session.checks import check_privileges, check_server, problems
from connector.mysql.session.connection import Connection

A, B = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "11111111-2222-3333-4444-555555555555"
GOOD = {"log_bin": "ON", "binlog_format": "ROW", "binlog_row_image": "FULL", "gtid_mode": "ON"}


@dataclass
class Answers:
    """A session on a server with these variables, query results and log files."""

    variables: Mapping[str, str] = field(default_factory=lambda: GOOD)
    results: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ("b.000002", "b.000003")
    is_mariadb: bool = False
    version: str = "8.4.0"
    denied: bool = False

    def variable(self, name: str) -> str | None:
        return self.variables.get(name)

    def row(self, sql: str, arguments: Any = ()) -> tuple[str] | None:
        found = self.results.get(sql % tuple(map(repr, arguments)) if arguments else sql)
        return None if found is None else (found,)

    def rows(self, sql: str) -> list[tuple[str, int]]:
        assert sql == "SHOW BINARY LOGS"
        if self.denied:
            raise AccessDeniedError("Access denied (error 1227)")
        return [(name, 100) for name in self.files]


def session(answers: Answers) -> Connection:
    return cast("Connection", answers)


def test_a_good_server_has_no_problem() -> None:
    check_server(session(Answers()), is_mariadb=False)
    older = {"log_bin": "ON"}  # neither format nor image is set
    check_server(session(Answers(variables=older)), is_mariadb=False)


@pytest.mark.parametrize("image", ["full", "NOBLOB"])
def test_images_that_suffice(image: str) -> None:
    answers = Answers(variables=GOOD | {"binlog_row_image": image})
    assert list(problems(session(answers), is_mariadb=False)) == []


@pytest.mark.parametrize(
    ("variable", "value", "message", "remedy"),
    [
        ("log_bin", "OFF", "does not write a binary log", "log_bin"),
        ("binlog_format", "MIXED", "it is MIXED", "binlog_format=ROW"),
        ("binlog_row_image", "MINIMAL", "it is MINIMAL", "binlog_row_image=FULL"),
    ],
)
def test_a_setting_that_does_not_suffice_is_named(
    variable: str, value: str, message: str, remedy: str
) -> None:
    with pytest.raises(StopError, match=message) as caught:
        check_server(session(Answers(variables=GOOD | {variable: value})), is_mariadb=False)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize("is_mariadb", [True, False])
def test_the_connector_of_the_other_server_is_named(is_mariadb: bool) -> None:
    answers = Answers(is_mariadb=not is_mariadb, version="11.4.2")
    (problem,) = problems(session(answers), is_mariadb=is_mariadb)
    assert "11.4.2" in problem.message
    assert ("MySqlConnector" if is_mariadb else "MariaDbConnector") in problem.remedy


def test_missing_privileges_are_named() -> None:
    check_privileges(session(Answers()))
    with pytest.raises(AccessDeniedError) as caught:
        check_privileges(session(Answers(denied=True)))
    assert "REPLICATION SLAVE" in caught.value.remedy


@pytest.mark.parametrize(("file", "resumable"), [("b.000002", True), ("b.000001", False)])
def test_a_file_has_to_be_there(file: str, resumable: bool) -> None:
    assert can_resume(session(Answers()), BinlogPosition(file, 4)) is resumable


@pytest.mark.parametrize(
    ("executed", "purged", "done", "resumable"),
    [
        (f"{A}:1-9", "", f"{A}:1-5", True),
        (f"{A}:1-9", f"{A}:1-5", f"{A}:1-5", True),
        (f"{A}:1-9", f"{A}:1-6", f"{A}:1-5", False),
        (f"{A}:1-9,{B}:1-3", f"{B}:1-3", f"{A}:1-5", False),
        (f"{A}:1-4", "", f"{A}:1-5", False),
        (f"{A}:1-9", "", f"{B}:1", False),
    ],
)
def test_transactions_that_are_missing_must_not_be_purged(
    executed: str, purged: str, done: str, resumable: bool
) -> None:
    answers = Answers(
        results={"SELECT @@global.gtid_executed": executed, "SELECT @@global.gtid_purged": purged}
    )
    position = BinlogPosition("gone.000001", 4, GtidSet.parse(done))
    assert can_resume(session(answers), position) is resumable


def test_sources_that_are_not_followed_may_be_purged() -> None:
    answers = Answers(
        results={
            "SELECT @@global.gtid_executed": f"{A}:1-9,{B}:1-3",
            "SELECT @@global.gtid_purged": f"{B}:1-3",
        }
    )
    position = BinlogPosition("b.000002", 4, GtidSet.parse(f"{A}:1-5"))
    assert can_resume(session(answers), position, lambda source: source == A)


def test_gtids_do_not_count_when_the_server_has_none_any_more() -> None:
    answers = Answers(variables=GOOD | {"gtid_mode": "OFF"})
    assert can_resume(session(answers), BinlogPosition("b.000002", 4, GtidSet.parse(f"{A}:1")))


@pytest.mark.parametrize(
    ("executed", "oldest", "done", "resumable"),
    [
        ("0-1-9", "", "0-1-5", True),
        ("0-1-9", "0-1-5", "0-1-5", True),
        ("0-1-9", "0-1-6", "0-1-5", False),
        ("0-1-4", "", "0-1-5", False),
        ("0-1-9,1-1-1", "1-1-1", "0-1-5", False),
    ],
)
def test_positions_of_mariadb(executed: str, oldest: str, done: str, resumable: bool) -> None:
    answers = Answers(
        variables={"gtid_binlog_pos": executed},
        results={"SELECT BINLOG_GTID_POS('b.000002', 4)": oldest},
        is_mariadb=True,
    )
    position = BinlogPosition("gone.000001", 4, MariaDbGtidSet.parse(done))
    assert can_resume(session(answers), position) is resumable
