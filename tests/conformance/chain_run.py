"""Runs chains of transforms on Debezium and on Millrace, one connector of each for each chain."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.chain import FOLDER, Chain
from tests.conformance.normal import normal
from tests.conformance.sides import Side, base_config
from tests.fixtures.scenario import read
from tests.fixtures.topics import Message, Topics
from tools.stack import ConnectClient, DatabaseServer, KafkaBroker
from tools.stack.errors import StackError

TABLES = read(FOLDER / "tables.sql")
_STILL_SECONDS = 3.0
_UNEVEN_SECONDS = 20.0
_START_SECONDS = 30.0
_LIMIT_SECONDS = 300.0
_CLOCK = re.compile(r'("(?:[^"]*ts_|iodebeziumts)(?:ms|us|ns)"\s*:\s*)"?\d+"?')
_EVENT_TIME = re.compile(r'(,"time":)"[^"]+"')
_NUMBER = re.compile(r"\d{13,19}")


@dataclass
class Pair:
    """One chain on both sides."""

    chain: Chain
    theirs: Side
    ours: Side
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.theirs, self.ours

    @property
    def running(self) -> list[Side]:
        """The connectors that were created."""
        return [side for side in self.sides if side.name not in self.refused]


class ChainRun:
    """Some chains on one server, side by side."""

    def __init__(
        self,
        chains: Sequence[Chain],
        server: DatabaseServer,
        broker: KafkaBroker,
        topics: Topics,
        oracle: ConnectClient,
        millrace: ConnectClient,
    ) -> None:
        run = uuid.uuid4().hex[:4]
        self._server = server
        self._broker = broker
        self._topics = topics
        self._first_id = 100_000 + int(run, 16) * 200
        self.pairs = {
            chain.name: Pair(
                chain,
                Side("debezium", oracle, f"da{number:03d}{run}"),
                Side("millrace", millrace, f"mb{number:03d}{run}"),
            )
            for number, chain in enumerate(chains)
        }

    def play(self) -> None:
        """Create the connectors, run the statements and read what was written."""
        with self._server.connect(autocommit=True) as session:
            self._execute(session, ["DROP DATABASE IF EXISTS chains"])
            self._execute(session, TABLES.phases["before"])
            self._create()
            self._settle()
            self._execute(session, TABLES.phases["streaming"])
            self._settle()
            for pair in self.pairs.values():
                for side in pair.running:
                    side.topics = self._read(side.prefix, timestamps=pair.chain.timestamps)
                    self._look(side)
                    side.client.delete(side.prefix)
            self._execute(session, ["DROP DATABASE IF EXISTS chains"])
        time.sleep(0.5)
        names = [name for side in self._sides() for name in self._of(side.prefix)]
        self._topics.delete(names)

    def _sides(self) -> list[Side]:
        return [side for pair in self.pairs.values() for side in pair.running]

    def _execute(self, session: Any, statements: Iterable[str]) -> None:
        for statement in statements:
            with session.cursor() as cursor:
                cursor.execute(statement)

    def _create(self) -> None:
        config = base_config(self._server, self._broker) | {"database.include.list": "chains"}
        for number, pair in enumerate(self.pairs.values()):
            for half, side in enumerate(pair.sides):
                own = {
                    "database.server.id": str(self._first_id + 2 * number + half),
                    "topic.prefix": side.prefix,
                    "schema.history.internal.kafka.topic": f"history.{side.prefix}",
                }
                try:
                    side.client.create(
                        side.prefix,
                        {**config, **own, **pair.chain.settings(side.prefix), **side.extra},
                    )
                except StackError as error:
                    pair.refused[side.name] = str(error)

    def _look(self, side: Side) -> str:
        state, trace = side.client.state(side.prefix)
        side.failure = trace if state == "FAILED" else ""
        return state

    def _settle(self) -> None:
        """Wait until both sides of each chain have as many messages, and nothing comes."""
        since = begun = time.monotonic()
        last: list[int] = []
        while time.monotonic() - begun < _LIMIT_SECONDS:
            counts = self._counts()
            if counts != last:
                last, since = counts, time.monotonic()
            even = all(
                counts[2 * number] == counts[2 * number + 1] > 0 or self._failed(pair)
                for number, pair in enumerate(self.pairs.values())
            )
            starting = not even and 0 in counts
            patience = _START_SECONDS if starting else _UNEVEN_SECONDS
            if time.monotonic() - since > (_STILL_SECONDS if even else patience):
                break
            time.sleep(0.3)

    def _failed(self, pair: Pair) -> bool:
        return all(self._look(side) == "FAILED" for side in pair.running)

    def _counts(self) -> list[int]:
        # The schema history comes before the rows of a snapshot: it says nothing of them.
        names = (name for name in self._topics.names() if not name.startswith("history."))
        ends = self._topics.ends(names)
        return [
            sum(count for name, count in ends.items() if side.prefix in name)
            for pair in self.pairs.values()
            for side in pair.sides
        ]

    def _of(self, prefix: str) -> list[str]:
        return [name for name in self._topics.names() if prefix in name]

    def _read(self, prefix: str, *, timestamps: bool) -> dict[str, list[tuple[Any, ...]]]:
        names = [name for name in self._of(prefix) if not name.startswith("history")]
        return {
            name.replace(prefix, "PFX"): [
                _comparable(message, prefix, timestamps=timestamps) for message in messages
            ]
            for name, messages in self._topics.read_all(names).items()
        }


def _comparable(message: Message, prefix: str, *, timestamps: bool) -> tuple[Any, ...]:
    """Return a normal message; clock readings may stand under other names here."""
    time = message.timestamp if timestamps else None
    partition, key, value, _, headers = normal(message, prefix)
    clocks = tuple(
        (name, _NUMBER.sub("T", text) if text and "ts_" in name else text) for name, text in headers
    )
    value = value and _CLOCK.sub(r"\1T", _EVENT_TIME.sub(r"\1T", value))
    return partition, key, value, time, clocks
