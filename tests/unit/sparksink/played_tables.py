"""Plays the deliveries of a random table with the sink's own plans, on tables in SQLite.

Spark's part is played here, a message at a time: its format, its version, its position, and the
merge. What is read how, which columns tables get, and what their rows get is the sink's own.
"""

from __future__ import annotations

import base64
import contextlib
import json
import random
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparksink.apply.batch import TopicBatch
from sparksink.apply.batch_plan import BatchPlan
from sparksink.apply.topic_writer import TopicWriter
from sparksink.change_position import BEGINNING, ChangePosition, pack
from sparksink.config.keys import SinkConfig
from sparksink.decode.format_names import (
    EMPTY,
    GARBAGE,
    NEW_SCHEMA,
    NO_ROWS,
    PLAIN,
    VERSION_SEPARATOR,
    has_columns,
    in_version_order,
)
from sparksink.decode.message_schema import MessageSchema
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.reading import TableReading
from sparksink.errors import TableError
from sparksink.evolve.before_image import row_fields
from sparksink.evolve.column_mapping import VERSIONS
from sparksink.evolve.target_table import TargetTable
from sparksink.schemas.definitions import Definitions
from sparksink.schemas.spark_types import BEFORE
from sparksink.source.routes import Routes
from sparksink.source.target_names import TargetNames
from sparksink.sql import quote_name
from tests.fixtures.sink.crashing import Crash
from tests.fixtures.sink.deliveries import Delivery
from tests.fixtures.sink.random_tables import SCHEMAS, RandomTable
from tests.fixtures.sink.recorded import Row
from tests.fixtures.sink.redefined import ChangeEvent
from tests.unit.sparksink.sqlite_tables import SqliteLake, sqlite_sql

Place = tuple[int, int]
"""Partition and offset."""
Read = tuple[MessageSchema, TableReading]
"""How messages of a format are read."""
_PLACE = ("__partition", "__offset")


def value_of(message: Row, name: str = "value64") -> bytes | None:
    """Return the value, or the key, of a message."""
    text = message[name]
    return None if text is None else base64.b64decode(text)


class Process:
    """One process of a job, which has read nothing when it starts."""

    def __init__(
        self, config: SinkConfig, lake: Any, statements: Callable[[], Sequence[Row]]
    ) -> None:
        def read(offset: int) -> list[tuple[int, bytes, str | None]]:
            found = [*statements()][offset:]
            return [(one["offset"], one["value"].encode(), one["position"]) for one in found]

        self._config = config
        self._lake = lake
        self.definitions = Definitions(config, read)
        self.layouts = MessageSchemas(
            self.definitions.versions,
            lambda number: json.dumps(SCHEMAS[f"/schemas/ids/{number}"]),
            config.source,
            config.ordering,
            lambda topic: Routes(config).route(topic).table,
        )
        self._writers: dict[str, TopicWriter] = {}

    def plan(self, topic: str, marks: Mapping[Place, str]) -> BatchPlan:
        """Fit the tables of a topic to messages with these formats."""
        if topic not in self._writers:
            route, state = Routes(self._config).route(topic), None
            names = TargetNames(self._config, lambda _: False, set)
            given: Any = (route, self._config, self.layouts, self._lake, state, names)
            self._writers[topic] = TopicWriter(*given)
        last = {place[0]: mark for place, mark in sorted(marks.items()) if has_columns(mark)}
        none: Any = None
        return self._writers[topic].plan(TopicBatch(
            none, none, in_version_order({*marks.values()}), {*last.values()}, "app", 0,
            True, len(marks), none,
        ))  # fmt: skip


class PlayedTable:
    """A random table, and what the sink makes of its messages; ``unread`` are lost events."""

    def __init__(self, table: RandomTable, config: SinkConfig, chance: random.Random) -> None:
        self.unread: list[ChangeEvent] = []
        self._table = table
        self._config = config
        self._chance = chance
        self._lake = SqliteLake()
        self._statements: Sequence[Row] = ()
        self._watermark = BEGINNING
        self._events: dict[Place, ChangeEvent] = {}
        self._process = self._start()

    def _start(self) -> Process:
        return Process(self._config, self._lake, lambda: self._statements)

    def play(self, delivery: Delivery, *, crash: bool, left: int | None = None) -> None:
        """Apply a delivery, perhaps by a process that is killed, and then by another one.

        It is killed before a random statement, or after ``left`` ones.
        """
        self._statements = delivery.statements
        self._events = {_place(one.message): one for one in self._table.events}
        if crash:
            self._lake.left = self._chance.randrange(12) if left is None else left
            with contextlib.suppress(Crash, TableError):
                self._apply(delivery.messages)
            self._lake.left = None
        if crash or self._chance.random() < 0.5:
            self._process = self._start()
        self._apply(delivery.messages)

    def finish(self) -> None:
        """Remove the rows from before snapshots, all of whose messages are read."""
        for one in self._table.events:
            if (one.message.get("position") or "").endswith(("/end", "/empty")):
                self._sweep(_position(one) or BEGINNING)

    def rows(self, name: str) -> list[Row]:
        """Return the rows of a table."""
        return self._lake.table(name).rows()

    def beside(self, name: str) -> dict[str, list[str]]:
        """Return the additional columns of a table's columns."""
        facts = self._lake.table(name).facts()
        known = {fact.removeprefix(VERSIONS): text for fact, text in facts.items()
                 if fact.startswith(VERSIONS)}  # fmt: skip
        return {column: json.loads(text or "[]") for column, text in known.items()}

    def close(self) -> None:
        self._lake.close()

    def _apply(self, messages: Sequence[Row]) -> None:
        process, topic = self._process, self._table.topic.name
        process.definitions.refresh()
        versions = process.definitions.versions(f"shop.{self._table.name}")
        self._sweep((versions and versions.created) or BEGINNING)
        marks = self._formats(messages)
        plan = process.plan(topic, marks)
        read = {one.mark: (one, reading) for one, reading in zip(
            plan.layouts, plan.readings, strict=True)}  # fmt: skip
        for place, mark in marks.items():
            event = self._events[place]
            if not event.skipped:
                self._write(event, read.get(mark), plan)

    def _sweep(self, position: ChangePosition) -> None:
        self._watermark = max(self._watermark, position)
        self._lake.table(f"shop__{self._table.name}").delete_before(self._watermark)

    def _formats(self, messages: Sequence[Row]) -> dict[Place, str]:
        found = {}
        for message in messages:
            found[_place(message)] = self._format(message)
            if (key := value_of(message, "key64")) is not None:
                self._process.layouts.add_key(message["topic"], key[:5].hex(), key)
        starts = {layout.mark: at for _, layout, at in self._process.layouts.list_versions()}
        for place, mark in found.items():
            if mark in starts:
                position = _position(self._events[place])
                number = position and bisect_right(starts[mark], position) - 1
                found[place] = GARBAGE if number is None else f"{mark}{VERSION_SEPARATOR}{number}"
        return found

    def _format(self, message: Row) -> str:
        layouts, topic, value = self._process.layouts, message["topic"], value_of(message)
        if value is None:
            return EMPTY
        if (message.get("position") or "").endswith("/empty"):
            return NO_ROWS
        known = layouts.prefixes().get(topic, [])
        mark = next((mark for mark, prefix in known if value.startswith(prefix)), "")
        try:
            if value[:1] == b"\0" and len(value) > 5:
                mark = f"avro:{int.from_bytes(value[1:5], 'big')}"
                if not layouts.has_schema(topic, mark):
                    layouts.add_schema(topic, mark)
            elif not mark and value.startswith(b'{"schema":'):
                layouts.add_schema(topic, NEW_SCHEMA, value)
                return self._format(message)
        except (TableError, KeyError):
            return GARBAGE
        plain = value.startswith(b"{") and layouts.detect_form(topic, [value])
        return mark or (PLAIN if plain else GARBAGE)

    def _write(self, event: ChangeEvent, read: Read | None, plan: BatchPlan) -> None:
        """Write a change to the mirror and to the history."""
        position = _position(event)
        if read is None or position is None:
            self.unread.append(event)
            return
        op = "t" if event.key is None else "d" if event.gone else "u"
        if op == "t":
            self._sweep(position)
        for target in (writer.target for writer in plan.writers):
            row = self._aligned(target, event, read)
            row |= {"__seq_hi": position.hi, "__seq_lo": position.lo, "__op": op}
            table: Any = target.table
            if "__offset" in target.columns:
                table.append({**row, **dict(zip(_PLACE, _place(event.message), strict=True))})
            elif op != "t" and position >= self._watermark:
                table.merge(row, "id")

    def _aligned(self, target: TargetTable, event: ChangeEvent, read: Read) -> Row:
        """Return a row with the columns of a target."""
        (layout, reading), alignment = read, target.alignment
        image = {"id": event.key, **event.named}
        given = {
            one.name: image.get(one.source)
            for one in layout.shape.columns
            if alignment.keeps_past or one.name not in reading.gone
        }
        kinds = {name: reading.columns[name].target for name in given}
        inside = ", ".join(f"? AS {quote_name(name)}" for name in given)
        columns = [name for name in target.columns if name not in alignment.sink_columns]
        values = [
            f"CAST(({alignment.value_sql(name, kinds)[0]}) AS {target.columns[name]})"
            for name in columns
        ]
        query = sqlite_sql(f"SELECT {', '.join(values)} FROM (SELECT {inside})")
        (found,) = self._lake.query(query, [*given.values()])
        row = dict(zip(columns, found, strict=True))
        if BEFORE in alignment.sink_columns and event.gone:
            fields = row_fields(target.table.read())
            row[BEFORE] = json.dumps({name: given.get(name) for name in fields})
        return row


def _place(message: Row) -> Place:
    return message["partition"], message["offset"]


def _position(event: ChangeEvent) -> ChangePosition | None:
    """Return the position in the header of a message."""
    epoch, file, pos, *_ = (event.message.get("position") or "//").split("/")
    op = "t" if event.key is None else "u"
    return pack(int(epoch), file, int(pos), 0, op) if epoch else None
