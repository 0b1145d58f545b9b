"""One run of scenarios: Debezium in Kafka Connect and Millrace, several times, on one server.

Millrace runs the compiled path, without transforms and, if asked, with one that changes nothing;
and the generic path, with one that cannot be compiled and changes nothing.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pymysql
from pymysql.constants import ER

from tests.conformance.normal import normal
from tests.fixtures.scenario import FOLDER_OF_RUN, Scenario
from tests.fixtures.topics import Message, Topics
from tools.stack import ConnectClient, DatabaseServer, KafkaBroker

COMPILED = {
    "transforms": "same",
    "transforms.same.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.same.regex": "no such topic",
    "transforms.same.replacement": "never",
}
GENERIC = {
    "transforms": "same",
    "transforms.same.type": "io.debezium.transforms.ExtractChangedRecordState",
}
_STILL_SECONDS = 1.5
_UNEVEN_SECONDS = 45.0  # a busy Debezium wrote nothing for 16 seconds
_LIMIT_SECONDS = 300.0
_ATTEMPTS = 30


@dataclass
class Side:
    """One connector; ``topics`` are filled at the end: normal messages by normal topic name."""

    name: str
    client: ConnectClient
    prefix: str
    extra: dict[str, str] = field(default_factory=dict)
    topics: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    failure: str = ""


def base_config(server: DatabaseServer, broker: KafkaBroker) -> dict[str, str]:
    """Return the settings that connectors of both sides have in common."""
    if "mariadb" in server.connector_class:
        ssl = {"database.ssl.mode": "disable"}
    else:
        ssl = {"database.ssl.mode": "disabled", "driver.allowPublicKeyRetrieval": "true"}
    return {
        "connector.class": server.connector_class,
        "tasks.max": "1",
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": "owner",
        "database.password": "owner",
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
        **ssl,
    }


class Run:
    """All scenarios of one group on one server.

    It takes all sides for done when they have as many messages for ``still`` seconds.
    """

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        server: DatabaseServer,
        broker: KafkaBroker,
        topics: Topics,
        oracle: ConnectClient,
        millrace: ConnectClient,
        still: float = _STILL_SECONDS,
        *,
        chained: bool = True,
    ) -> None:
        self._run = run = uuid.uuid4().hex[:6]
        self._scenarios = scenarios
        self._server = server
        self._broker = broker
        self._topics = topics
        self.oracle = Side("debezium", oracle, f"sidea{run}")
        self.compiled = Side("compiled", millrace, f"sideb{run}")
        self.general = Side("general", millrace, f"sidec{run}", GENERIC)
        self.chained = Side("chained", millrace, f"sided{run}", COMPILED)
        self.ours = [self.compiled, *([self.chained] if chained else []), self.general]
        self.errors: list[str] = []
        self._settled = 0
        self._folder = ""
        self._still = still

    @property
    def sides(self) -> list[Side]:
        """All connectors."""
        return [self.oracle, *self.ours]

    def play(self) -> None:
        """Run all phases and read what was written."""
        with (
            tempfile.TemporaryDirectory(prefix="conformance-") as self._folder,
            self._server.connect(autocommit=True) as session,
        ):
            self._forget(session)
            self._sql(session, "before")
            self._create()
            self._settle()
            self._sql(session, "streaming")
            self._settle()
            if any(scenario.phases["offline"] for scenario in self._scenarios):
                self._each("stop")
                self._sql(session, "offline")
                self._each("resume")
                self._settle()
            for side in self.sides:
                self._read(side)
                state, side.failure = side.client.state(side.prefix)
                side.failure = side.failure if state == "FAILED" else ""
                side.client.delete(side.prefix)
            self._forget(session)
        time.sleep(0.5)
        self._topics.delete(self._names())

    def _sql(self, session: pymysql.Connection[Any], phase: str) -> None:
        for scenario in self._scenarios:
            for statement in scenario.phases[phase]:
                try:
                    _execute(session, statement.replace(FOLDER_OF_RUN, self._folder))
                except pymysql.MySQLError as error:
                    self.errors.append(f"{scenario.name}: {statement[:100]!r}: {error}")

    def _create(self) -> None:
        config = base_config(self._server, self._broker) | dict(self._scenarios[0].config)
        if not {"database.include.list", "database.exclude.list"} & config.keys():
            names = [name for scenario in self._scenarios for name in scenario.databases]
            config["database.include.list"] = ",".join(names)
        first_id = 10_000 + int(self.oracle.prefix[5:9], 16) % 50_000 * len(self.sides)
        for number, side in enumerate(self.sides):
            own = {
                "database.server.id": str(first_id + number),
                "topic.prefix": side.prefix,
                "schema.history.internal.kafka.topic": f"history.{side.prefix}",
            }
            settings = {key: text.replace("PFX", side.prefix) for key, text in config.items()}
            side.client.create(side.prefix, {**settings, **own, **side.extra})
        for side in self.sides:
            side.client.wait_for(side.prefix, "RUNNING")

    def _each(self, verb: str) -> None:
        for side in self.sides:
            side.client.put(side.prefix, verb)
        state = "STOPPED" if verb == "stop" else "RUNNING"
        for side in self.sides:
            side.client.wait_for(side.prefix, state)

    def _settle(self) -> None:
        """Wait until Debezium wrote something, all have as much, and nothing comes any more."""
        since = begun = time.monotonic()
        last: list[int] = []
        while time.monotonic() - begun < _LIMIT_SECONDS:
            counts = self._counts()
            if counts != last or counts[0] <= self._settled:
                last, since = counts, time.monotonic()
            even = len(set(counts)) == 1
            if time.monotonic() - since > (self._still if even else self._still + _UNEVEN_SECONDS):
                break
            time.sleep(0.2)
        self._settled = last[0]

    def _counts(self) -> list[int]:
        """Return how many messages each side has written, without heartbeats."""
        ends = self._topics.ends(name for name in self._names() if "heartbeat" not in name)
        return [
            sum(count for name, count in ends.items() if side.prefix in name) for side in self.sides
        ]

    def _names(self) -> list[str]:
        names = self._topics.names()
        return [name for name in names if any(side.prefix in name for side in self.sides)]

    def _read(self, side: Side) -> None:
        side.topics = {
            name: [normal(message, side.prefix) for message in messages]
            for name, messages in self._messages(side.prefix).items()
        }

    def _messages(self, prefix: str) -> dict[str, list[Message]]:
        """Return the messages of a side by the normal names of their topics."""
        names = [name for name in self._topics.names() if prefix in name]
        found = self._topics.read_all(names)
        return {name.replace(prefix, "PFX"): messages for name, messages in found.items()}

    def _forget(self, session: pymysql.Connection[Any]) -> None:
        """Drop the databases: what stays would stand in the next run's schema history."""
        for name in self._databases():
            with session.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS `{name}`")

    def _databases(self) -> Iterable[str]:
        return (name for scenario in self._scenarios for name in scenario.databases)


def _execute(session: pymysql.Connection[Any], statement: str) -> None:
    """Run a statement, again if it does not wait for a lock that is taken.

    MariaDB's background threads lock a table for a moment, some time after it was altered: one in
    a hundred ALTER TABLE t NOWAIT fails in a busy server although no session uses t.
    """
    for attempt in range(_ATTEMPTS):
        try:
            with session.cursor() as cursor:
                cursor.execute(statement)
        except pymysql.err.OperationalError as error:
            if error.args[0] != ER.LOCK_WAIT_TIMEOUT or attempt == _ATTEMPTS - 1:
                raise
            time.sleep(0.1)
        else:
            return
