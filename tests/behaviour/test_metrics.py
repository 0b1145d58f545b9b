"""GET /metrics of a real worker: Debezium's metrics under the JMX exporter's names, and our own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.fixtures.connectors import basic_config
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, KafkaBroker, MillraceWorker
from tools.stack.http import http


class Scraped:
    """One answer of /metrics, and questions to it."""

    def __init__(self, url: str) -> None:
        answer = http.get(f"{url}/metrics").raise_for_status()
        self.samples = [
            sample
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        ]

    def value(self, metric: str, /, **labels: str) -> float | None:
        """Return the one value of a metric."""
        found = [
            sample.value
            for sample in self.samples
            if sample.name == metric and labels.items() <= sample.labels.items()
        ]
        assert len(found) < 2, found
        return found[0] if found else None


@pytest.fixture
def client(millrace: MillraceWorker) -> Iterator[ConnectClient]:
    with closing(ConnectClient(millrace.url)) as made:
        yield made


@pytest.fixture
def connector(
    client: ConnectClient, broker: KafkaBroker, each_database: FreshDatabase
) -> Iterator[str]:
    """A connector of the database, of which the topics have the same name."""
    name = each_database.name
    each_database.execute(
        "CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(100))",
        "CREATE TABLE none (id INT PRIMARY KEY)",
        "CREATE TABLE other (id INT PRIMARY KEY)",
        "INSERT INTO orders VALUES (1, 'a'), (2, 'b'), (3, 'c')",
    )
    config = {
        **basic_config(each_database.server, broker, f"prefix-{name}"),
        "table.include.list": f"{name}.orders,{name}.none",
        "custom.metric.tags": "team=shop, stage=test",
    }
    client.create(name, config)
    yield name
    if name in client.call("GET", "/connectors"):
        client.delete(name)


def test_a_capture_from_its_snapshot_to_its_end(
    client: ConnectClient, connector: str, each_database: FreshDatabase, topics: Topics
) -> None:
    plugin = each_database.server.name
    snapshot = {"connector": connector, "context": "snapshot", "plugin": plugin}
    streaming = {"connector": connector, "context": "streaming", "plugin": plugin}
    mine = {"connector": connector, "task": "0"}

    def streams() -> Scraped | None:
        found = Scraped(client.url)
        return found if found.value("debezium_metrics_Connected", **streaming) == 1 else None

    scraped = wait_for(streams, 60, "a stream")
    expected = {
        "TotalTableCount": 2,
        "RemainingTableCount": 0,
        "SnapshotRunning": 0,
        "SnapshotCompleted": 1,
        "SnapshotSkipped": 0,
        "SnapshotAborted": 0,
    }
    for name, value in expected.items():
        found = scraped.value(f"debezium_metrics_{name}", **snapshot, name=f"prefix-{connector}")
        assert found == value, name
    history = {"connector": connector, "context": "schema-history", "plugin": plugin}
    assert scraped.value("debezium_metrics_RecoveryStartTime", **history) == -1
    assert scraped.value("debezium_metrics_ChangesRecovered", **history) == 0
    applied = scraped.value("debezium_metrics_ChangesApplied", **history)
    assert applied is not None
    assert applied >= 2
    tagged = scraped.value("debezium_metrics_SnapshotCompleted", **mine, team="shop", stage="test")
    assert tagged == 1
    table = f"{connector}.orders"
    assert scraped.value("debezium_metrics_RowsScanned", **snapshot, table=table) == 3
    assert scraped.value("debezium_metrics_TotalNumberOfEventsSeen", **streaming) == 0

    each_database.execute(
        "INSERT INTO orders VALUES (4, 'd'), (5, 'e')",
        "UPDATE orders SET note = 'f' WHERE id < 4",
        "DELETE FROM orders WHERE id = 5",
        "INSERT INTO other VALUES (1)",
    )
    topics.wait_for(f"prefix-{connector}.{connector}.orders", 10)  # with a tombstone

    def settled() -> Scraped | None:
        found = Scraped(client.url)
        lag = found.value("debezium_metrics_MilliSecondsBehindSource", **streaming)
        flown = found.value("millrace_records_in_flight", **mine)
        sent = found.value("millrace_bytes_total", **mine)
        stored = found.value("millrace_offset_commits_total", **mine)
        return found if lag == flown == 0 and sent and stored else None

    scraped = wait_for(settled, 30, "nothing left, and the periodic metrics")
    kinds = {"Create": 2, "Update": 3, "Delete": 1}
    for kind, count in kinds.items():
        found = scraped.value(f"debezium_metrics_TotalNumberOf{kind}EventsSeen", **streaming)
        assert found == count, kind
    assert scraped.value("debezium_metrics_TotalNumberOfEventsSeen", **streaming) == 6
    assert (scraped.value("debezium_metrics_NumberOfCommittedTransactions", **streaming) or 0) >= 4
    position = scraped.value("debezium_metrics_BinlogPosition", **streaming)
    assert position is not None
    assert position > 4
    assert scraped.value("debezium_metrics_IsGtidModeEnabled", **streaming) == 1
    assert scraped.value("debezium_metrics_NumberOfEventsFiltered", **streaming) == 1
    for captured in (table, f"{connector}.none"):
        there = scraped.value("debezium_metrics_CapturedTables_info", **streaming, table=captured)
        assert there == 1, captured
    last = [one for one in scraped.samples if one.name == "debezium_metrics_LastEvent_info"]
    assert f"d {table} at " in next(
        one.labels["value"] for one in last if streaming.items() <= one.labels.items()
    )
    since = scraped.value("debezium_metrics_MilliSecondsSinceLastEvent", **streaming)
    assert since is not None
    assert 0 <= since < 60_000
    written = sum(topics.ends(topics.names(f"prefix-{connector}")).values())
    assert scraped.value("millrace_records_total", **mine) == written
    values = [m for name in topics.names(f"prefix-{connector}") for m in topics.read(name)]
    sizes = sum(len(message.value or b"") for message in values)
    assert scraped.value("millrace_bytes_total", **mine) == sizes
    assert scraped.value("millrace_database_retries_total", **mine) == 0
    assert (scraped.value("process_resident_memory_bytes") or 0) > 10_000_000
    assert scraped.value("millrace_task_state", **mine, state="RUNNING") == 1

    client.put(connector, "stop")
    client.wait_for(connector, "STOPPED")
    scraped = Scraped(client.url)
    assert scraped.value("debezium_metrics_Connected", connector=connector) is None
    assert scraped.value("millrace_records_total", **mine) is None
    client.delete(connector)
    assert [s for s in Scraped(client.url).samples if connector in s.labels.values()] == []


def test_rolled_back_and_large_transactions_are_counted(
    client: ConnectClient, broker: KafkaBroker, mariadb_database: FreshDatabase, topics: Topics
) -> None:
    name = mariadb_database.name
    mariadb_database.execute("CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(100))")
    basic = basic_config(mariadb_database.server, broker, f"prefix-{name}")
    client.create(name, basic | {"table.include.list": f"{name}.orders"})
    streaming = {"connector": name, "context": "streaming"}
    wait_for(
        lambda: Scraped(client.url).value("debezium_metrics_Connected", **streaming) == 1,
        60,
        "a stream",
    )
    mariadb_database.execute(
        "CREATE TEMPORARY TABLE passing (id INT)",
        "BEGIN",
        "INSERT INTO orders VALUES (1, 'taken back')",
        "DROP TEMPORARY TABLE passing",
        "ROLLBACK",
        "INSERT INTO orders SELECT seq, REPEAT('x', 100) FROM seq_2_to_60001",
    )
    topic = f"prefix-{name}.{name}.orders"
    wait_for(lambda: topics.ends([topic]).get(topic) == 60_000, 60, "the large transaction")
    counted = {"RolledBack": 1, "Large": 1, "NotWellFormed": 0}

    def counts() -> bool:
        scraped = Scraped(client.url)
        found = {
            kind: scraped.value(f"debezium_metrics_NumberOf{kind}Transactions", **streaming)
            for kind in counted
        }
        return found == counted

    wait_for(counts, 30, "the counts")
    worst = Scraped(client.url).value(
        "debezium_metrics_MilliSecondsBehindSourceMaxValue", **streaming
    )
    assert worst is not None
    assert worst >= 0
    client.delete(name)
