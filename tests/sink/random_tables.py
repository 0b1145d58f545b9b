"""Random histories of tables of every kind: what their sources hold, and what topics have."""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from tests.sink.recorded import Row
from tests.sink.redefined import ChangeEvent, ChangingTable, Column
from tests.sink.test_formats import avro
from tests.sink.test_keyless import Source

SCHEMAS: dict[str, Any] = {}
"""What the schema registry answers, by path; its numbers are never used again."""
_AVRO = {"int32": "int", "int64": "long", "string": "string"}
_FORMS = ("plain", "schema", "row", "avro")
_SOURCE = {"file": "string", "pos": "long", "row": "int", "snapshot": "string", "ts_ms": "long"}


def schema_id(schema: Mapping[str, Any]) -> int:
    """Return the number of a schema in the registry."""
    for path, known in SCHEMAS.items():
        if known == schema:
            return int(path.rpartition("/")[2])
    SCHEMAS[f"/schemas/ids/{len(SCHEMAS) + 1}"] = schema
    return len(SCHEMAS)


def record(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    given = [{"name": member, "type": kind} for member, kind in fields.items()]
    return {"type": "record", "name": name, "fields": given}


def _avro_field(column: Column) -> dict[str, Any]:
    """Return a column as Confluent's converter writes it."""
    kind = _AVRO[column.kind]
    if column.default is None:
        return {"name": column.name, "type": ["null", kind], "default": None}
    return {"name": column.name, "type": kind, "default": column.default}


@dataclass
class RandomTable(ChangingTable):
    """A table with a key, whose server may be another one, and whose log may be lost.

    Files are counted over all servers; ``epochs`` are the first files of the later ones.
    """

    kinds: ClassVar[dict[str, int]] = {
        **ChangingTable.kinds, "recreate": 2, "move": 6, "replace": 2, "partition": 1, "lose": 3,
        "failover": 1, "garbage": 4, "redeliver": 3,
    }  # fmt: skip
    epochs: list[int] = field(default_factory=list)

    def live(self, steps: int) -> None:
        super().live(steps)
        if self.chance.random() < 0.1:  # no message follows it
            self._at = (self._at[0], self._at[1] + 1)
            self.chance.choice([self._recreate, self._replace])()

    def binlog(self, file: int) -> str:
        return f"bin.{file - max((one for one in self.epochs if one <= file), default=0):06}"

    def position(self, at: tuple[int, int], suffix: str = "") -> str:
        file, pos = at
        epoch = sum(one <= file for one in self.epochs)
        return f"{epoch}/{self.binlog(file)}/{pos}/0{suffix}"

    def avro(self, op: str, pos: int, image: Row | None, source: Row) -> Row:
        columns = [_avro_field(one) for one in self.columns]
        value = record("Value", {"id": "int"})
        value["fields"] += columns
        images = {"before": ["null", value], "after": ["null", "Value"]}
        schema = record("Envelope", {**images, "source": record("Source", _SOURCE), "op": "string"})
        before, after = (image, None) if op == "d" else (None, image)
        given = {"row": 0, "snapshot": "false", **source, "pos": pos}
        event = {"before": before, "after": after, "source": given, "op": op}
        key = record("Key", {"id": "int"})
        keyed = None if image is None else avro(key, schema_id(key), {"id": image["id"]})
        return self.topic.message(keyed, avro(schema, schema_id(schema), event))

    def _emit(self, op: str, key: int | None, row: dict[int, Any], **more: Any) -> None:
        super()._emit(op, key, row, **more)
        suffix = "/end" if str(more.get("snapshot")).startswith("last") else ""
        self.events[-1].message["position"] = self.position(self._at, suffix)

    def _truncate(self) -> None:
        if self.form != "row":  # unwrapping drops the message
            super()._truncate()

    def _move(self) -> None:
        """Change a key: a delete, its tombstone and a create at one position."""
        free = sorted({*range(1, 10)} - self.rows.keys())
        if self.rows and free:
            old, new = self.chance.choice(sorted(self.rows)), self.chance.choice(free)
            row = self.rows.pop(old)
            self._emit("d", old, row)
            tombstone = self.topic.message({"id": old}, None, position=self.position(self._at))
            self._skip(tombstone)
            self._emit("c", new, row)
            self.rows[new] = row

    def _replace(self) -> None:
        """Give the table another name, and create one with the former name."""
        old = f"{self.name}_old{self._at[0]}_{self._at[1]}"
        self._state(f"RENAME TABLE {self.name} TO {old}", [*self.columns], old)
        self._at = (self._at[0], self._at[1] + 40)
        self.rows.clear()
        self._create()

    def _partition(self) -> None:
        """Drop rows with their partition; the snapshot that is needed then follows."""
        ddl = f"ALTER TABLE {self.name} DROP PARTITION p{self._at[1]}"
        self._state(ddl, [*self.columns])
        for key in [key for key in self.rows if key > 5]:
            del self.rows[key]
        self._at = (self._at[0], self._at[1] + 10)
        self._snapshot()

    def _failover(self) -> None:
        self._at = (self._at[0] + 1, 4)
        self.epochs.append(self._at[0])

    def _garbage(self) -> None:
        """Put a message that nothing can read among the others."""
        values = [one.message["value64"] for one in self.events if one.key is not None]
        value = base64.b64decode(self.chance.choice(values)) if values else b"??"
        torn = value[: self.chance.randrange(1, len(value))]
        torn = self.chance.choice([torn, b"\1\2", b"[1]", b'{"schema":'])
        self._skip(self.topic.message(None, torn), garbage=True)

    def _redeliver(self) -> None:
        """Write the last messages again, as a connector does after it was killed."""
        for one in self.events[-self.chance.randint(1, 4) :]:
            self.topic.offset += 1
            copy = {**one.message, "offset": self.topic.offset, "timestamp": self.topic.offset}
            self.events.append(replace(one, message=copy))

    def _skip(self, message: Row, *, garbage: bool = False) -> None:
        event = ChangeEvent(message, self._at, None, False, {}, {}, skipped=True, garbage=garbage)
        self.events.append(event)

    def _lose(self) -> None:
        """Lose some of the log, and take a snapshot of the table as it is then."""
        for _ in range(3):
            key = self.chance.randint(1, 9)
            if self.chance.random() < 0.5:
                self.rows.pop(key, None)
            else:
                self.rows[key] = {one.identity: self._value(one) for one in self.columns}
        self._at = (self._at[0], self._at[1] + 50)
        self._snapshot()

    def _snapshot(self) -> None:
        keys = sorted(self.rows)
        self.chance.shuffle(keys)
        for number, key in enumerate(keys, 1):
            mark = "last_in_data_collection" if number == len(keys) else "true"
            self._emit("r", key, self.rows[key], snapshot=mark)
        if not keys:
            message = self.topic.change("t", self._at[1], file=self.binlog(self._at[0]))
            message["position"] = self.position(self._at, "/empty")
            self._skip(message)


class KeylessTable:
    """A table without a key, as `RandomTable`."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.source = Source(seed, f"srv.shop.{name}")
        self.topic = self.source.topic
        self.events: list[ChangeEvent] = []
        self.statements: list[tuple[tuple[int, int], Row]] = []

    def live(self, steps: int) -> None:
        chance = random.Random(self.seed)
        messages = self.source.live(steps // 2)
        if chance.random() < 0.5 and len(self.source.rows) > 1:
            self.source.lose(1)
            messages += self.source.snapshot()
        messages += self.source.live(steps // 2)
        self.events = [ChangeEvent(one, (0, 0), None, False, {}, {}) for one in messages]

    def position(self, _: tuple[int, int]) -> str:
        return ""


AnyTable = RandomTable | KeylessTable


def random_table(seed: int, *, retypes: bool = False) -> AnyTable:
    """Return a table of the kind that a seed has."""
    if seed % 9 == 8:
        return KeylessTable(f"t{seed}", seed)
    return RandomTable(f"t{seed}", seed, _FORMS[seed % 9 % 4], retypes=retypes)
