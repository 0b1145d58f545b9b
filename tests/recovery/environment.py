"""A connector on a worker of its own, a database with tables of the load, and their topics."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.fixtures.connectors import connector
from tests.fixtures.topics import Message, Topics
from tests.fixtures.worker import wait_for
from tests.recovery.following import Follower, ends_of
from tests.recovery.load import FINISH, ITEMS, LEDGER
from tests.recovery.replay import check_replay
from tools.stack import ConnectClient, DatabaseServer, KafkaBroker, MillraceWorker, Workspace
from tools.stack.errors import StackError

LONG = 120.0
_LAST_MESSAGES = 10.0
ITEMS_OF_START = 500


class Environment:
    """Everything of one test by name. The worker keeps its state in topics, or in files."""

    def __init__(
        self,
        workspace: Workspace,
        broker: KafkaBroker,
        server: DatabaseServer,
        *,
        files: bool = False,
        properties: Mapping[str, str | int] | None = None,
    ) -> None:
        self.name = f"r{uuid.uuid4().hex[:8]}"
        self.broker = broker
        self.server = server
        self.topics = Topics(broker.address)
        settings: dict[str, str | int] = {"offset.flush.interval.ms": 200, **(properties or {})}
        if files:
            folder = workspace.folder("state")
            settings["offset.storage.file.filename"] = str(folder / "offsets")
        self.worker = MillraceWorker(workspace, broker, group=self.name, properties=settings)
        self._follower = Follower(self.topics, f"{self.name}.")
        self.messages: dict[str, list[Message]] = {}

    def prepare(self, rows: int = ITEMS_OF_START) -> None:
        """Make the database with its first rows."""
        name = self.name
        self.server.execute(f"CREATE DATABASE {name}", f"USE {name}", ITEMS, LEDGER, FINISH)
        with self.server.connect(database=name) as connection, connection.cursor() as cursor:
            for first in range(1, rows + 1, 1000):
                numbers = range(first, min(first + 1000, rows + 1))
                values = ", ".join(f"({n}, {n}, 1, 'first')" for n in numbers)
                cursor.execute(f"INSERT INTO items VALUES {values}")

    def create(self, **more: str) -> None:
        """Create the connector; ``more`` as in `tests.fixtures.connectors.connector`."""
        config = connector(self.server, self.broker, self.name, self.name, **more)
        with self.client() as client:
            client.create(self.name, config)

    @contextmanager
    def client(self) -> Iterator[ConnectClient]:
        """Talk to the worker."""
        client = ConnectClient(self.worker.url)
        try:
            yield client
        finally:
            client.close()

    def status(self) -> tuple[str, str]:
        """Return the state of the task and its trace."""
        with self.client() as client:
            return client.state(self.name)

    def topic(self, table: str = "items") -> str:
        return f"{self.name}.{self.name}.{table}"

    def count(self, table: str = "items") -> int:
        """Return how many messages there are for a table."""
        return ends_of(self.topics, self.topic(table)).get(self.topic(table), 0)

    def wait_for_more(self, messages: int, seconds: float = LONG) -> None:
        """Wait until so many more messages of ``items`` have come."""
        self.wait_for_count(self.count() + messages, seconds=seconds)

    def wait_for_count(self, messages: int, table: str = "items", seconds: float = LONG) -> None:
        """Wait until there are so many messages for a table."""
        what = f"{messages} messages for {table}"
        self.wait(lambda: self.count(table) >= messages, what, seconds)

    def wait_for_stream(self) -> None:
        """Wait until the snapshot is over and a restart goes on in the log."""
        self.wait(self._streams, "an offset behind the snapshot")

    def _streams(self) -> bool:
        with self.client() as client:
            offsets = client.call("GET", f"/connectors/{self.name}/offsets")["offsets"]
        return bool(offsets) and "snapshot" not in offsets[0]["offset"]

    def wait(self, condition: Callable[[], Any], what: str, seconds: float = LONG) -> Any:
        """Return what a condition gives as soon as that is true.

        A failure shows what the worker says; a task that has failed ends the wait.
        """
        looks = itertools.count()
        try:
            return wait_for(lambda: condition() or self._has_failed(next(looks)), seconds, what)
        except AssertionError as error:
            raise AssertionError(f"{error}; {self.describe()}") from None

    def _has_failed(self, look: int) -> bool:
        if look % 20 == 19 and self.worker.running:
            assert self.status()[0] != "FAILED", "the task failed"
        return False

    def finish(self, number: int = 1) -> None:
        """Write a last row and wait until it is in its topic."""
        self.server.execute(f"INSERT INTO {self.name}.finish VALUES ({number})")
        self.wait(lambda: self._has_arrived(number), "the last row")

    def _has_arrived(self, number: int) -> bool:
        self._read()
        return any(
            message.payload()["after"]["id"] == number
            for message in self.messages.get(self.topic("finish"), [])
        )

    def _read(self) -> None:
        for topic, messages in self._follower.new().items():
            self.messages.setdefault(topic, []).extend(messages)

    def check(self) -> None:
        """Compare what a consumer has with the source.

        Kafka keeps an order in each topic alone: the last row may come before rows of other
        tables that were written earlier. So a topic has a moment to become complete.
        """
        until = time.monotonic() + _LAST_MESSAGES
        while True:
            self._read()
            try:
                return check_replay(self.server, self.name, self.name, self.messages)
            except AssertionError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def describe(self) -> str:
        """Return what the task and the worker say, for a failed test."""
        try:
            status: Any = self.status()
        except (StackError, OSError) as error:
            status = error
        return f"status: {status}\n{self.worker.tail()}"

    def close(self) -> None:
        """End the worker; remove database and topics."""
        self.worker.kill()
        self._follower.close()
        if self.server.running:
            self.server.execute(f"DROP DATABASE IF EXISTS {self.name}")
        if self.broker.running:
            self.topics.delete([name for name in self.topics.names() if self.name in name])


@contextmanager
def environment(
    workspace: Workspace,
    broker: KafkaBroker,
    server: DatabaseServer,
    rows: int = ITEMS_OF_START,
    **more: Any,
) -> Iterator[Environment]:
    """Create an environment for a block: the worker runs, the tables have their first rows."""
    made = Environment(workspace, broker, server, **more)
    try:
        made.prepare(rows)
        made.worker.start()
        yield made
    finally:
        made.close()
