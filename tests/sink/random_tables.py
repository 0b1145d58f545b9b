"""Random histories of tables of every kind: what their sources hold, and what topics have."""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from tests.sink.recorded import Row, Topic
from tests.sink.redefined import ChangeEvent, ChangingTable, Column
from tests.sink.test_formats import avro
from tests.sink.test_keyless import Source

SCHEMAS: dict[str, Any] = {}
"""What the schema registry answers, by path; its numbers are never used again."""
_AVRO = {"int32": "int", "int64": "long", "string": "string"}
_FORMS = ("plain", "schema", "row", "avro")
SOURCE_FIELDS = {
    "file": "string",
    "pos": "long",
    "row": "int",
    "snapshot": "string",
    "ts_ms": "long",
}


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
        "failover": 1, "garbage": 4, "redeliver": 3, "convert": 3,
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

    def message(self, op: str, pos: int, image: Row | None, source: Row) -> Row:
        if self.form == "avro":
            return self._avro(op, pos, image, source)
        return super().message(op, pos, image, source)

    def _avro(self, op: str, pos: int, image: Row | None, source: Row) -> Row:
        columns = [_avro_field(one) for one in self.columns]
        value = record("Value", {"id": "int"})
        value["fields"] += columns
        images = {"before": ["null", value], "after": ["null", "Value"]}
        schema = record(
            "Envelope", {**images, "source": record("Source", SOURCE_FIELDS), "op": "string"}
        )
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

    def _convert(self) -> None:
        """Give a column a type that is not wider; the server casts all values."""
        found = [one for one in self.columns if one.kind != "string" and one.default is None]
        if self.retypes and found:
            old = self.chance.choice(found)
            for row in self.rows.values():
                if row.get(old.identity) is not None:
                    row[old.identity] = str(row[old.identity])
            columns = [replace(o, kind="string") if o == old else o for o in self.columns]
            ddl = f"ALTER TABLE `{self.name}` MODIFY `{old.name}` VARCHAR(20)"
            self._state(ddl, columns)

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
        self.events += redelivered(self.topic, self.events[-self.chance.randint(1, 4) :])

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
    """A table without a key, as `RandomTable`; its columns stay."""

    kinds: ClassVar[dict[str, int]] = {
        "change": 70, "truncate": 2, "lose": 3, "failover": 2, "garbage": 6, "redeliver": 4,
    }  # fmt: skip

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed = name, seed
        self.chance = random.Random(seed)
        self.source = Source(seed, f"srv.shop.{name}")
        self.topic = self.source.topic
        self.events: list[ChangeEvent] = []
        self.statements: list[tuple[tuple[int, int], Row]] = []
        self._epoch = 0
        self._snapshots_end = 0

    def live(self, steps: int) -> None:
        """Change rows."""
        for _ in range(steps):
            (kind,) = self.chance.choices(list(self.kinds), list(self.kinds.values()))
            getattr(self, f"_{kind}")()

    def position(self, _: tuple[int, int]) -> str:
        return ""

    def _add(self, message: Row, suffix: str = "", **more: Any) -> None:
        message["position"] = f"{self._epoch}/bin.000001/{self.source.pos}/0{suffix}"
        self.events.append(ChangeEvent(message, (0, 0), None, False, {}, {}, **more))

    def _change(self) -> None:
        (message,) = self.source.live(1)
        self._add(message)

    def _truncate(self) -> None:
        self.source.lose(len(self.source.rows))
        self._add(self.topic.change("t", self.source.pos))

    def _lose(self) -> None:
        """Lose some of the log, and take a snapshot of the table as it is then."""
        self.source.lose(self.chance.randint(0, len(self.source.rows)))
        messages = self.source.snapshot()
        for number, one in enumerate(messages, 1):
            self._add(one, "/end" if number == len(messages) else "")
        if not messages:
            self._add(self.topic.change("t", self.source.pos), "/empty", skipped=True)
        self._snapshots_end = len(self.events)

    def _failover(self) -> None:
        """Go on with another server, whose log has lower positions."""
        self._epoch += 1
        self.source.pos = 100

    def _garbage(self) -> None:
        torn = self.chance.choice([b"\1\2", b"[1]", b'{"schema":', b"\0\0\0"])
        self._add(self.topic.message(None, torn), skipped=True, garbage=True)

    def _redeliver(self) -> None:
        """Write some messages again; snapshots are taken again, with positions of their own."""
        found = self.events[self._snapshots_end :]
        self.events += redelivered(self.topic, found[-self.chance.randint(1, 4) :])


def redelivered(topic: Topic, events: Sequence[ChangeEvent]) -> list[ChangeEvent]:
    """Return events written again, as by a connector after it was killed."""
    found = []
    for one in events:
        topic.offset += 1
        copy = {**one.message, "offset": topic.offset, "timestamp": topic.offset}
        found.append(replace(one, message=copy))
    return found


AnyTable = RandomTable | KeylessTable


def random_table(seed: int, *, retypes: bool = False) -> AnyTable:
    """Return a table of the kind that a seed has."""
    if seed % 9 == 8:
        return KeylessTable(f"t{seed}", seed)
    return RandomTable(f"t{seed}", seed, _FORMS[seed % 9 % 4], retypes=retypes)
