"""The page of configuration keys says what the definitions say."""

import re

import pytest

from connector.connectors import CaptureConnector, mariadb_connector, mysql_connector
from connector.mysql.source import MySqlSource
from tools import metrics_reference
from tools.reference import FILE, page

BASE = {
    "database.hostname": "127.0.0.1",
    "database.user": "u",
    "database.server.id": "1",
    "topic.prefix": "p",
    "schema.history.internal": "io.debezium.relational.history.MemorySchemaHistory",
}
ROW = re.compile(r"^\| `([^`]+)` \| (\w+) \| .* \| ([^|]+) \|$", re.MULTILINE)
# Other values than the defaults, of keys for which not any text will do.
OTHERS = {"BOOLEAN": "true", "INT": "7", "LONG": "7"}


def rows() -> dict[str, tuple[str, str]]:
    section = page().split("\n## ")[1]
    return {name: (kind, here) for name, kind, here in ROW.findall(section)}


def test_the_page_of_metrics_is_up_to_date() -> None:
    text = metrics_reference.FILE.read_text("utf-8")
    assert text == metrics_reference.page(), "run: make reference"


def test_the_page_is_up_to_date() -> None:
    assert FILE.read_text("utf-8") == page(), "run: make reference"


def test_every_key_of_the_connectors_is_documented() -> None:
    for connector in (mysql_connector(), mariadb_connector()):
        written = {key.name for key in connector.config_def}
        assert written == set(rows())


@pytest.mark.parametrize("connector", [mysql_connector(), mariadb_connector()])
@pytest.mark.parametrize("name", [name for name, (_, here) in rows().items() if "refused" in here])
def test_what_is_called_refused_is_refused(
    connector: CaptureConnector[MySqlSource], name: str
) -> None:
    kind, here = rows()[name]
    report = connector.validate({**BASE, name: OTHERS.get(kind, "something")})
    assert [error.rpartition(": ")[2] for error in report[name].errors] == [
        here.removeprefix("refused: ")
    ]


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("snapshot.mode", "works"),
        ("column.exclude.list", "works"),
        ("max.queue.size", "no effect"),
        ("openlineage.integration.job.owners", "part of `openlineage.integration.enabled`"),
    ],
)
def test_the_support_of_some_keys(name: str, here: str) -> None:
    assert rows()[name][1] == here


def test_what_has_no_effect_says_why() -> None:
    for key in mysql_connector().config_def:
        _, kept, reason = key.doc.partition("Kept for compatibility")
        assert not kept or len(reason) > len(": so."), key.name
