"""A connector that captures nothing says why: missing privileges, rules without a match."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import closing

import pytest

from connector.errors import AccessDeniedError, StopError
from connector.mysql.connector import MySqlFamily, mariadb, mysql
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.environment import environment
from tests.fixtures.sources import source
from tools.stack import CAPTURE, KafkaBroker, Workspace

REPLICATION = "REPLICATION SLAVE, REPLICATION CLIENT, RELOAD, SHOW DATABASES"


@pytest.fixture
def blind(each_database: FreshDatabase) -> Iterator[str]:
    """A user who may read the log and no table; its password is ``blind``."""
    user = f"u{uuid.uuid4().hex[:8]}"
    each_database.execute(
        "CREATE TABLE shown (id INT PRIMARY KEY, note INT)",
        f"CREATE USER '{user}'@'%' IDENTIFIED BY 'blind'",
        f"GRANT {REPLICATION} ON *.* TO '{user}'@'%'",
    )
    yield user
    each_database.execute(f"DROP USER '{user}'@'%'")


def as_user(user: str, **more: str) -> dict[str, str]:
    return {"database__user": user, "database__password": "blind", **more}


def family_of(database: FreshDatabase) -> MySqlFamily:
    return mariadb() if "mariadb" in database.server.connector_class else mysql()


def connector_config(database: FreshDatabase) -> dict[str, str]:
    return {
        "database.hostname": database.server.host,
        "database.port": str(database.server.port),
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
        "database.server.id": "4711",
        "database.include.list": database.name,
        "topic.prefix": "p",
        "schema.history.internal": "io.debezium.relational.history.MemorySchemaHistory",
    }


def test_a_missing_select_fails_with_the_grant_to_run(
    each_database: FreshDatabase, blind: str
) -> None:
    with (
        closing(source(each_database, **as_user(blind))) as made,
        pytest.raises(AccessDeniedError, match="no SELECT privilege on db") as caught,
    ):
        made.open()
    remedy = caught.value.remedy
    assert remedy == f"Run GRANT SELECT ON `{each_database.name}`.* TO '{blind}'@'%';"
    each_database.execute(remedy.removeprefix("Run "))
    with closing(source(each_database, **as_user(blind))) as made:
        made.open()


def test_without_lists_any_select_is_enough(each_database: FreshDatabase, blind: str) -> None:
    everything = as_user(blind, database__include__list="")
    with (
        closing(source(each_database, **everything)) as made,
        pytest.raises(AccessDeniedError, match=r"no SELECT privilege on \*"),
    ):
        made.open()
    each_database.execute(f"GRANT SELECT ON {each_database.name}.shown TO '{blind}'@'%'")
    with closing(source(each_database, **everything)) as made:
        made.open()


def test_a_role_may_hold_the_privilege(each_database: FreshDatabase, blind: str) -> None:
    role = f"r{blind}"
    default = "SET DEFAULT ROLE {role} FOR '{user}'@'%'"
    if "mysql" in each_database.server.connector_class.lower().rsplit(".", 1)[1]:
        default = "SET DEFAULT ROLE {role} TO '{user}'@'%'"
    each_database.execute(
        f"CREATE ROLE {role}",
        f"GRANT SELECT ON {each_database.name}.* TO {role}",
        f"GRANT {role} TO '{blind}'@'%'",
        default.format(role=role, user=blind),
    )
    try:
        with closing(source(each_database, **as_user(blind))) as made:
            made.open()
    finally:
        each_database.execute(f"DROP ROLE {role}")


def test_rules_without_a_match_are_named(
    each_database: FreshDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    name = each_database.name
    each_database.execute("CREATE TABLE shown (id INT PRIMARY KEY, note INT)")
    rules = {
        "table__include__list": f"{name}.shown,{name}.shwon",
        "column__exclude__list": f"{name}.shown.note,{name}.shown.notes",
    }
    with caplog.at_level(logging.WARNING), closing(source(each_database, **rules)) as made:
        made.open()
    assert [record.getMessage() for record in caplog.records] == [
        (
            f"table.include.list: {name}.shwon matches no table that this user sees; "
            f"similar: {name}.shown"
        ),
        (
            f"column.exclude.list: {name}.shown.notes matches no column that this user sees; "
            f"similar: {name}.shown.note, {name}.shown.id"
        ),
    ]


def test_the_status_names_rules_without_a_match(
    workspace: Workspace, broker: KafkaBroker, each_database: FreshDatabase
) -> None:
    with environment(workspace, broker, each_database.server) as at:
        at.create(table_include_list=f"{at.name}.items,{at.name}.finish,{at.name}.late")
        rule = f"table.include.list: {at.name}.late matches no table"
        at.wait(lambda: rule in at.status()[1], "the rule in the status")
        assert at.status()[0] == "RUNNING"
        at.server.execute(f"CREATE TABLE {at.name}.late (id INT PRIMARY KEY)")
        at.wait(lambda: at.status() == ("RUNNING", ""), "a status without the rule")


def test_validation_names_the_grant(each_database: FreshDatabase, blind: str) -> None:
    config = {
        **connector_config(each_database),
        "database.user": blind,
        "database.password": "blind",
    }
    family = family_of(each_database)
    (text,) = family.validate(config)["database.hostname"].errors
    assert f"Run GRANT SELECT ON `{each_database.name}`.* TO '{blind}'@'%';" in text


def test_validation_recommends_what_a_rule_may_mean(each_database: FreshDatabase) -> None:
    name = each_database.name
    each_database.execute("CREATE TABLE shown (id INT PRIMARY KEY)")
    config = {**connector_config(each_database), "table.include.list": f"{name}.shwon"}
    report = family_of(each_database).validate(config)
    assert not [value.errors for value in report.values() if value.errors]
    assert report["table.include.list"].recommended == (f"{name}.shown",)


def test_a_host_name_that_cannot_be_one(database: FreshDatabase) -> None:
    with (
        closing(source(database, database__hostname="db..example.com")) as made,
        pytest.raises(StopError, match=r"db\.\.example\.com is not a valid host name"),
    ):
        made.open()


def test_the_capture_account_of_the_documentation_is_enough(
    each_database: FreshDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), closing(source(each_database)) as made:
        made.open()
    assert caplog.records == []
    assert CAPTURE.privileges.startswith("SELECT")
