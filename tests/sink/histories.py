"""Random histories of a table: what its source holds at the end, and what a topic says of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.sink.recorded import Row, Topic


class Source:
    """A table with a binlog, and a connector that may lose events and then takes a new snapshot."""

    def __init__(self, topic: Topic, seed: int) -> None:
        self.topic = topic
        self.rows: dict[int, Row] = {}
        self._random = random.Random(seed)
        self._file = 9
        self._pos = 4

    def live(self, steps: int) -> list[Row]:
        """Change the table and return the messages, in the order of the binlog."""
        return [message for _ in range(steps) for message in self._step()]

    def _step(self) -> Iterator[Row]:
        kinds = {"upsert": 50, "delete": 20, "move": 8, "twice": 5, "rotate": 5, "truncate": 2,
                 "lose": 2}  # fmt: skip
        (kind,) = self._random.choices(list(kinds), list(kinds.values()))
        self._pos += self._random.randint(1, 500)
        yield from getattr(self, f"_{kind}")()

    def _upsert(self) -> Iterator[Row]:
        row: Row = {"id": self._random.randint(1, 12), "v": f"v{self._random.random()}"}
        yield self._message("u" if row["id"] in self.rows else "c", self.rows.get(row["id"]), row)
        self.rows[row["id"]] = row

    def _delete(self) -> Iterator[Row]:
        if self.rows:
            gone = self.rows.pop(self._random.choice(sorted(self.rows)))
            yield self._message("d", gone, None)
            yield self.topic.message({"id": gone["id"]}, None)

    def _move(self) -> Iterator[Row]:
        """Change a key: a delete and a create at one place."""
        free = sorted(set(range(1, 13)) - self.rows.keys())
        if self.rows and free:
            old = self.rows.pop(self._random.choice(sorted(self.rows)))
            new = {**old, "id": self._random.choice(free)}
            yield self._message("d", old, None)
            yield self._message("c", None, new)
            self.rows[new["id"]] = new

    def _twice(self) -> Iterator[Row]:
        """Change one row twice in one event."""
        key = self._random.randint(1, 12)
        for number in range(2):
            row = {"id": key, "v": f"{number} of {self._pos}"}
            yield self._message("u", self.rows.get(key), row, row=number)
            self.rows[key] = row

    def _rotate(self) -> Iterator[Row]:
        self._file, self._pos = self._file + 1, 4
        yield from ()

    def _truncate(self) -> Iterator[Row]:
        self.rows.clear()
        yield self._message("t", None, None)

    def _lose(self) -> Iterator[Row]:
        """Lose some of the log, deletes too, and take a snapshot: rows vanish without events."""
        for _ in range(5):
            list(self._step_without_loss())
        if not self.rows:  # the snapshot of an empty table has no message
            list(self._upsert())
        self._pos += 100
        present = sorted(self.rows.items())
        for number, (_, row) in enumerate(present, 1):
            mark = "last" if number == len(present) else "true"
            yield self._message("r", None, row, snapshot=mark)

    def _step_without_loss(self) -> Iterator[Row]:
        self._pos += 10
        yield from self._random.choice([self._upsert, self._delete])()

    def _message(self, op: str, before: Any, after: Any, **more: Any) -> Row:
        more = {"file": f"bin.{self._file:06}", "ts_ms": self._file * 10**9 + self._pos, **more}
        return self.topic.change(op, self._pos, before, after, **more)


def versions(
    changes: Sequence[tuple[str, Any, Any]],
) -> dict[tuple[Any, Any], Any]:
    """Return where each version ends, by its key and its place; of operations, keys and places.

    It ends at the next change of its key, or of all keys, which has None as its key.
    """
    found: dict[tuple[Any, Any], Any] = {}
    for op, key, place in changes:
        if op not in {"d", "t"}:
            later = [p for _, k, p in changes if p > place and k in {key, None}]
            found[key, place] = min(later, default=None)
    return found


def delivered(messages: list[Row], batches: int, seed: int) -> list[list[Row]]:
    """Shuffle messages, repeat some of them, and cut them into batches."""
    chance = random.Random(seed)
    again = [{**m, "offset": m["offset"] + 100_000} for m in messages if chance.random() < 0.3]
    mixed = [*messages, *again]
    chance.shuffle(mixed)
    cuts = sorted(chance.randrange(len(mixed) + 1) for _ in range(batches - 1))
    return [mixed[a:b] for a, b in zip([0, *cuts], [*cuts, len(mixed)], strict=True)]
