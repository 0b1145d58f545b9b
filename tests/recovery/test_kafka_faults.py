"""Kafka is away, half-open or loses a topic: nothing is lost, the task goes on and says why."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.fixtures.environment import Environment
from tests.fixtures.proxied_broker import ProxiedBroker
from tests.fixtures.worker import wait_for
from tools.stack import MySql97, Workspace
from tools.stack.http import http

SECONDS_HALF_OPEN = 20.0
SECONDS_VISIBLE = 3.0
QUICK = {"producer_override_socket_timeout_ms": "2000"}


@pytest.fixture(scope="module")
def proxied(workspace: Workspace) -> Iterator[ProxiedBroker]:
    with ProxiedBroker(workspace) as broker:
        yield broker


class Faulted(Environment):
    """A capture whose clients all reach Kafka through a proxy."""

    def __init__(
        self, workspace: Workspace, broker: ProxiedBroker, server: MySql97, files: bool
    ) -> None:
        self.proxy = broker.proxy
        properties = {"bootstrap.servers": broker.proxy.address}
        super().__init__(workspace, broker, server, files=files, properties=properties)
        self._rows = 10_000

    def stream(self, **more: str) -> None:
        self.create(
            schema_history_internal_kafka_bootstrap_servers=self.proxy.address,
            **more,
        )
        self.wait_for_stream()

    def write(self, rows: int = 1) -> None:
        for _ in range(rows):
            self._rows += 1
            row = f"({self._rows}, {self._rows}, 1, 'more')"
            self.server.execute(f"INSERT INTO {self.name}.items VALUES {row}")

    @contextmanager
    def load(self) -> Iterator[None]:
        """Write a row every 50 ms for a block."""
        end = threading.Event()

        def run() -> None:
            while not end.wait(0.05):
                self.write()

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()

    def metric(self, name: str) -> float:
        text = http.get(f"{self.worker.url}/metrics", timeout=5).text
        [line] = [line for line in text.splitlines() if line.startswith(name + "{")]
        return float(line.split()[-1])

    def health(self) -> str:
        return str(http.get(f"{self.worker.url}/health", timeout=15).json()["message"])

    def wait_until_well(self) -> None:
        self.wait(lambda: self.status() == ("RUNNING", ""), "a status without a reason", 40)


@contextmanager
def faulted(
    workspace: Workspace, broker: ProxiedBroker, server: MySql97, *, files: bool = True
) -> Iterator[Faulted]:
    at = Faulted(workspace, broker, server, files)
    try:
        at.prepare(20)
        at.worker.start()
        yield at
    finally:
        broker.proxy.heal()
        at.close()


@pytest.mark.slow
@pytest.mark.parametrize("files", [True, False])
def test_half_open_connections_cost_little(
    workspace: Workspace, proxied: ProxiedBroker, mysql: MySql97, files: bool
) -> None:
    with faulted(workspace, proxied, mysql, files=files) as at:
        at.stream()
        with at.load():
            at.wait_for_more(20)
            began = time.monotonic()
            at.proxy.half_open()
            count = at.count()
            at.wait_for_count(count + 60, seconds=40)
            took = time.monotonic() - began
        print(f"{took:.1f} s")
        at.finish()
        at.check()
        at.wait_until_well()
    assert took < SECONDS_HALF_OPEN


def test_an_outage_is_visible_everywhere_and_said_once(
    workspace: Workspace, proxied: ProxiedBroker, mysql: MySql97
) -> None:
    with faulted(workspace, proxied, mysql) as at:
        at.stream(**QUICK)
        with at.load():
            at.wait_for_more(20)
            retries = at.metric("millrace_kafka_retries_total")
            at.proxy.blackhole()
            began = time.monotonic()
            wait_for(lambda: "Kafka" in at.status()[1], 20, "a status with a reason")
            took = time.monotonic() - began
            assert at.status()[0] == "RUNNING"
            assert at.metric("millrace_kafka_unavailable") == 1
            assert "Kafka" in at.health()
            reasons = []
            for _ in range(20):
                time.sleep(0.1)
                reasons.append(at.status()[1])
            at.proxy.heal()
            wait_for(lambda: at.status() == ("RUNNING", ""), 40, "a status without a reason")
        assert all(reasons)
        assert at.metric("millrace_kafka_unavailable") == 0
        assert at.metric("millrace_kafka_retries_total") > retries
        at.finish()
        at.check()
        lines = [line for line in at.worker.log.read_text().splitlines() if "Kafka" in line]
        print(f"visible after {took:.1f} s;", *lines, sep="\n")
    assert took < SECONDS_VISIBLE
    assert len(lines) < 6


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [10, 130])
def test_a_ddl_statement_waits_for_kafka(
    workspace: Workspace, proxied: ProxiedBroker, mysql: MySql97, seconds: int
) -> None:
    with faulted(workspace, proxied, mysql) as at:
        at.stream()
        at.proxy.blackhole()
        at.write(3)
        at.server.execute(f"ALTER TABLE {at.name}.items ADD extra INT")
        at.server.execute(f"INSERT INTO {at.name}.items VALUES (9001, 9001, 1, 'x', NULL)")
        back = time.monotonic() + seconds
        wait_for(lambda: "Kafka" in at.status()[1], 20, "a status with a reason")
        wait_for(lambda: time.monotonic() > back, seconds + 1)
        assert at.status()[0] == "RUNNING"
        at.proxy.heal()
        at.finish()
        at.check()
        changes = at.topics.read(at.name)
        assert any("ADD extra" in (message.payload()["ddl"] or "") for message in changes)
        assert "the task restarts" not in at.worker.log.read_text()
        at.wait_until_well()


@pytest.mark.slow
def test_an_outage_longer_than_the_delivery_timeout_skips_nothing(
    workspace: Workspace, proxied: ProxiedBroker, mysql: MySql97
) -> None:
    with faulted(workspace, proxied, mysql) as at:
        at.stream(
            errors_tolerance="all",
            producer_override_delivery_timeout_ms="3000",
            producer_override_request_timeout_ms="2000",
        )
        with at.load():
            at.wait_for_more(5)
            at.proxy.blackhole()
            time.sleep(8)
            at.proxy.heal()
        at.finish()
        at.check()
        assert at.metric("millrace_records_skipped_total") == 0


@pytest.mark.slow
@pytest.mark.parametrize("idle", [True, False])
def test_a_deleted_topic_is_created_again(
    workspace: Workspace, proxied: ProxiedBroker, mysql: MySql97, idle: bool
) -> None:
    with faulted(workspace, proxied, mysql) as at:
        at.stream(
            topic_creation_default_replication_factor="1",
            topic_creation_default_partitions="3",
        )
        topic = at.topic("items")
        at.topics.delete([topic])
        if idle:
            wait_for(lambda: topic not in at.topics.names(), 20)
        began = time.monotonic()
        at.write(5)
        at.wait(lambda: at.topics.partitions(topic), "the topic", 60)
        ids = {10_001, 10_002, 10_003, 10_004, 10_005}

        def keys() -> set[int]:
            return {message.payload()["after"]["id"] for message in at.topics.read(topic)}

        at.wait(lambda: keys() >= ids, "the rows", 60)
        print(f"{time.monotonic() - began:.1f} s")
        assert at.topics.partitions(topic) == 3
        assert at.status()[0] == "RUNNING"
