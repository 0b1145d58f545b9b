"""Who is measured by `bench.other_peers`, and how each is run."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from typing import Final

from bench.jvm_peers import FlinkCdc, Maxwell, Peer
from bench.sides import DEFAULT, MILLRACE, TUNED, Side
from bench.topics import Topics
from bench.trial import Site, Trial
from tools.stack import DatabaseServer, KafkaBroker, Server, Workspace

TABLE: Final = "sb"
_CHANGED: Final = f"{TABLE}_stream"
# A server gives up a client that reads nothing for a minute, a group one that is silent for 10 s.
PATIENT: Final = ("--net-write-timeout=3600",)
_PATIENT_WORKER: Final = {"session.timeout.ms": 240_000}
_SCHEMAS: Final = {"schemas": "true"}
_TUNED: Final = {
    name.replace("producer.override.", "kafka."): text for name, text in TUNED.settings.items()
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the result."""

    title: str
    kind: type[Peer] | Side
    settings: Mapping[str, str] = field(default_factory=dict)


COLUMNS: Final = {
    "millrace": Column("Millrace", MILLRACE),
    "debezium": Column("Debezium default", DEFAULT),
    "debezium-tuned": Column("Debezium tuned", TUNED),
    "maxwell": Column("Maxwell default", Maxwell),
    "maxwell-tuned": Column("Maxwell tuned", Maxwell, _TUNED),
    "flink": Column("Flink CDC default", FlinkCdc),
    "flink-tuned": Column("Flink CDC tuned", FlinkCdc, _TUNED),
    "millrace-schemas": Column("Millrace, with schemas", MILLRACE, _SCHEMAS),
    "debezium-schemas": Column("Debezium default, with schemas", DEFAULT, _SCHEMAS),
    "debezium-schemas-tuned": Column("Debezium tuned, with schemas", TUNED, _SCHEMAS),
    "flink-schemas": Column("Flink CDC default, with schemas", FlinkCdc, _SCHEMAS),
    "flink-schemas-tuned": Column("Flink CDC tuned, with schemas", FlinkCdc, _SCHEMAS | _TUNED),
}


@dataclass(frozen=True, slots=True)
class Copying:
    """A server that runs and copies table sb_stream to a topic."""

    server: Server
    topic: str
    topics: Topics

    @property
    def end(self) -> int:
        """How many records the topic has."""
        return self.topics.end(self.topic)


def started(
    column: Column, workspace: Workspace, broker: KafkaBroker, database: DatabaseServer
) -> AbstractContextManager[Copying]:
    """Let the peer of a column run for a block."""
    if isinstance(column.kind, Side):
        return _connector(column.kind, column.settings, workspace, broker, database)
    return _process(column.kind(workspace, broker, database, _CHANGED, column.settings))


@contextmanager
def _connector(
    side: Side,
    settings: Mapping[str, str],
    workspace: Workspace,
    broker: KafkaBroker,
    database: DatabaseServer,
) -> Iterator[Copying]:
    group = f"group-{uuid.uuid4().hex[:8]}"
    worker = side.kind(workspace, broker, group=group, properties=_PATIENT_WORKER)
    with (
        worker,
        closing(Site(side, worker, broker, database)) as site,
        Trial(site, _CHANGED) as trial,
    ):
        trial.start("no_data", schemas="schemas" in settings)
        yield Copying(worker, trial.topic, site.topics)


@contextmanager
def _process(peer: Peer) -> Iterator[Copying]:
    with closing(Topics(peer.bootstrap)) as topics:
        topics.create(peer.topic)
        with peer:
            yield Copying(peer, peer.topic, topics)
        topics.delete(peer.topic)
