"""One connector on trial: made for a table, waited for, and thrown away with its topics."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Final, Self

from bench.chains import CHAINS
from bench.sides import Side, avro_converters, connector
from bench.topics import Topics
from bench.workload import DATABASE
from tools.stack import (
    ConnectClient,
    ConnectWorker,
    DatabaseServer,
    KafkaBroker,
    MillraceWorker,
    SchemaRegistry,
    StackError,
)

_POLL_SECONDS: Final = 0.2
_LOOK_SECONDS: Final = 3.0
_STALLED_SECONDS: Final = 90.0
_STREAMING_SECONDS: Final = 60.0
_server_ids: Final = itertools.count(40_000)


class Site:
    """Where trials happen: a running worker of one side, its broker and its database.

    Trials with Avro need the ``registry``.
    """

    def __init__(
        self,
        side: Side,
        worker: MillraceWorker | ConnectWorker,
        broker: KafkaBroker,
        server: DatabaseServer,
        registry: SchemaRegistry | None = None,
    ) -> None:
        self.side = side
        self.worker = worker
        self.broker = broker
        self.server = server
        self.registry = registry
        self.topics = Topics(broker.address)
        self.client = ConnectClient(worker.url)

    def close(self) -> None:
        """Close the connections."""
        self.client.close()
        self.topics.close()


class Trial:
    """A connector that captures tables of the benchmark's database.

    A context manager: the topics are there for the block; at its end connector and topics go.
    ``topic`` is that of the first table.
    """

    def __init__(self, site: Site, *tables: str) -> None:
        self.name = f"bench{uuid.uuid4().hex[:8]}"
        self.names = [f"{self.name}.{DATABASE}.{table}" for table in tables]
        self.topic = self.names[0]
        self._site = site
        self._tables = tables

    def __enter__(self) -> Self:
        for topic in self.names:
            self._site.topics.create(topic)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._site.worker.running:
            return
        if self.name in self._site.client.call("GET", "/connectors"):
            self._site.client.delete(self.name)
        time.sleep(1)  # what the task still sends must not create its topics again
        self._site.topics.delete(self.name)

    @property
    def topics(self) -> Topics:
        """The topics of the site."""
        return self._site.topics

    @property
    def end(self) -> int:
        """How many records the topics have."""
        return sum(map(self._site.topics.end, self.names))

    def start(
        self,
        snapshot_mode: str,
        *,
        schemas: bool,
        avro: bool = False,
        chain: str = "",
        more: Mapping[str, str] | None = None,
    ) -> None:
        """Create the connector, with ``more`` settings, and wait until it runs."""
        site = self._site
        with_schemas = str(schemas).lower()
        config = {
            **connector(site.server, site.broker, self.name, next(_server_ids)),
            "database.include.list": DATABASE,
            "table.include.list": ",".join(f"{DATABASE}.{table}" for table in self._tables),
            "snapshot.mode": snapshot_mode,
            "key.converter.schemas.enable": with_schemas,
            "value.converter.schemas.enable": with_schemas,
            **CHAINS[chain],
            **site.side.settings,
            **(avro_converters(site.registry) if avro and site.registry else {}),
            **(more or {}),
        }
        site.client.create(self.name, config)
        site.client.wait_for(self.name, "RUNNING")

    def stop(self) -> None:
        """Stop the connector; it keeps its offset."""
        self._site.client.put(self.name, "stop")
        self._site.client.wait_for(self.name, "STOPPED")

    def resume(self) -> None:
        """Start it again where it stopped."""
        self._site.client.put(self.name, "resume")

    def await_streaming(self, touch: Callable[[], None]) -> None:
        """Make changes until one arrives, and all that were made have.

        :raises StackError: none arrives.
        """
        until = time.monotonic() + _STREAMING_SECONDS
        while not self.end:
            if time.monotonic() > until:
                raise StackError(f"{self._site.side.name} does not stream into {self.topic}.")
            touch()
            time.sleep(1)
            self._look()
        time.sleep(2)

    def await_records(self, end: int) -> None:
        """Wait until the topic has ``end`` records.

        :raises StackError: the connector fails, or nothing arrives for a long time.
        """
        seen, moved = -1, time.monotonic()
        look_at = moved + _LOOK_SECONDS
        while (found := self.end) < end:
            now = time.monotonic()
            if found != seen:
                seen, moved = found, now
            if now - moved > _STALLED_SECONDS:
                raise StackError(f"{self._site.side.name}: {self.topic} stays at {found} of {end}.")
            if now > look_at:
                look_at = now + _LOOK_SECONDS
                self._look()
            time.sleep(_POLL_SECONDS)

    def _look(self) -> None:
        worker = self._site.worker
        if not worker.running:
            raise StackError(f"{worker.name} has ended:\n{worker.tail()}")
        state, trace = self._site.client.state(self.name)
        if state == "FAILED":
            raise StackError(f"The connector of {self._site.side.name} has failed: {trace}")
