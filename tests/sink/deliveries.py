"""How the messages of random tables may arrive: in the order of each partition, with any lag."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.sink.random_tables import AnyTable
from tests.sink.recorded import Row
from tests.sink.redefined import ChangeEvent

PARTITIONS = 3


@dataclass
class Delivery:
    """One batch: its messages, the schema-change topic by then, and how far topics are read."""

    messages: list[Row]
    statements: list[Row]
    reached: dict[str, dict[str, int]]
    present: dict[str, dict[str, int]]


class _Partition:
    def __init__(self, number: int, events: Sequence[tuple[int, ChangeEvent]]) -> None:
        self.number = str(number)
        self.events = events
        self.read = 0

    def take(self, count: int) -> Sequence[tuple[int, ChangeEvent]]:
        """Return the next messages."""
        first = self.read
        self.read += count
        return self.events[first : self.read]

    def end(self, read: int) -> int:
        return self.events[read - 1][1].message["offset"] + 1 if read else 0

    def present(self, number: int) -> int:
        """Return where the partition ends when the topic has so many messages."""
        return self.end(sum(index < number for index, _ in self.events))


def _partitions(table: AnyTable) -> list[_Partition]:
    parts: list[list[tuple[int, ChangeEvent]]] = [[] for _ in range(PARTITIONS)]
    for index, one in enumerate(table.events):
        key = one.message["key64"]
        number = (sum(map(ord, key)) if key else one.message["offset"] * 7) % PARTITIONS
        one.message["partition"] = number
        parts[number].append((index, one))
    return [_Partition(number, events) for number, events in enumerate(parts)]


def deliveries(
    tables: Sequence[AnyTable], batches: int, chance: random.Random, *, waiting: float = 0.0
) -> Iterator[Delivery]:
    """Deliver each partition in its order, as late as it likes, rows after their statements.

    :param waiting: the share of tables that have no messages in a batch before the last one.
    """
    partitions = [(table, _partitions(table)) for table in tables]
    statements = [(table, *one) for table in tables for one in table.statements]
    statements.sort(key=lambda one: one[1])
    lines = [
        {"topic": "srv", "partition": 0, "offset": offset, "value": json.dumps(value),
         "position": table.position(at)}
        for offset, (table, at, value) in enumerate(statements)
    ]  # fmt: skip
    known = 0
    for batch in range(batches):
        last = batch == batches - 1
        found = Delivery([], lines, {}, {})
        for table, parts in partitions:
            latest, waits = 0, not last and chance.random() < waiting
            for part in parts:
                left = 0 if waits else len(part.events) - part.read
                taken = part.take(left if last else chance.randint(0, left))
                found.messages += [one.message for _, one in taken]
                latest = max([latest, *(index + 1 for index, _ in taken)])
            topic, number = table.topic.name, chance.randint(latest, len(table.events))
            found.reached[topic] = {part.number: part.end(part.read) for part in parts}
            found.present[topic] = {part.number: part.present(number) for part in parts}
            at = max((one.at for one in table.events[:latest]), default=(0, 0))
            needed = (n for n, one in enumerate(statements, 1) if one[0] is table and one[1] <= at)
            known = max(known, *needed, 0)
        if not last:
            known = chance.randint(known, len(lines))
            found.statements = lines[:known]
        yield found
