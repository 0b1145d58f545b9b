"""Random histories of tables whose columns change: the rows at the end, and the messages."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from tests.sink.recorded import Row, Topic
from tests.sink.recorded import field as connect_field

_TYPES = {"int32": "INT", "int64": "BIGINT", "string": "VARCHAR(20)"}
_NAMES = ("a", "b", "c", "d")
FORMS = ("plain", "schema", "row")


@dataclass(frozen=True)
class Column:
    """A column; it stays the same one when it gets another name or a wider type."""

    identity: int
    name: str
    kind: str
    default: int | None = None


@dataclass
class ChangeEvent:
    """A message of a row or, without a key, of all rows; values by column, and by names.

    One that is ``skipped`` changes no row, and is in no history; ``garbage`` is unreadable.
    """

    message: Row
    at: tuple[int, int]
    key: int | None
    gone: bool
    values: dict[int, Any]
    named: Row
    skipped: bool = False
    garbage: bool = False


@dataclass
class ChangingTable:
    """A table with a binlog; ``statements`` are the messages of its schema-change topic."""

    kinds: ClassVar[dict[str, int]] = {
        "upsert": 60, "delete": 12, "add": 6, "drop": 5, "rename": 5, "swap": 2, "again": 4,
        "widen": 3, "truncate": 1, "rotate": 3, "recreate": 1,
    }  # fmt: skip
    name: str
    seed: int
    form: str = "plain"
    recreates: bool = True
    retypes: bool = False
    rows: dict[int, dict[int, Any]] = field(default_factory=dict)
    events: list[ChangeEvent] = field(default_factory=list)
    statements: list[tuple[tuple[int, int], Row]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.topic = Topic(f"srv.shop.{self.name}")
        self.columns: list[Column] = []
        self.last_names: dict[int, str] = {}
        self._made = 0
        self._at = (9, 4)
        self._create()

    def live(self, steps: int) -> None:
        """Change rows and columns."""
        for _ in range(steps):
            (kind,) = self.chance.choices(list(self.kinds), list(self.kinds.values()))
            self._at = (self._at[0], self._at[1] + self.chance.randint(1, 90))
            getattr(self, f"_{kind}")()
        self._at = (self._at[0], self._at[1] + 1)
        self._upsert()  # columns come to a target with the first row that has them

    def expected(self) -> list[tuple[Any, ...]]:
        """Return the rows, the key first and then the columns by name."""
        order = sorted(self.columns, key=lambda one: one.name)
        found = [(key, *(row[one.identity] for one in order)) for key, row in self.rows.items()]
        return sorted(found, key=repr)

    def _upsert(self) -> None:
        key = self.chance.randint(1, 9)
        row = {one.identity: self._value(one) for one in self.columns}
        self._emit("u" if key in self.rows else "c", key, row)
        self.rows[key] = row

    def _delete(self) -> None:
        if self.rows:
            key = self.chance.choice(sorted(self.rows))
            self._emit("d", key, self.rows.pop(key))

    def _truncate(self) -> None:
        self.rows.clear()
        self._emit("t", None, {})

    def _rotate(self) -> None:
        self._at = (self._at[0] + 1, 4)

    def _add(self) -> None:
        if free := sorted({*_NAMES} - {one.name for one in self.columns}):
            self._alter("ADD COLUMN", [*self.columns, self._new(self.chance.choice(free))])

    def _drop(self) -> None:
        if len(self.columns) > 1:
            gone = self.chance.choice(self.columns)
            rest = [one for one in self.columns if one != gone]
            self._state(f"ALTER TABLE `{self.name}` DROP COLUMN `{gone.name}`", rest)

    def _rename(self) -> None:
        old, taken = self.chance.choice(self.columns), {one.name for one in self.columns}
        if free := [name for name in self._like(old) if name not in taken]:
            new = self.chance.choice(free)
            ddl = f"ALTER TABLE `{self.name}` RENAME COLUMN `{old.name}` TO `{new}`"
            self._state(ddl, [replace(o, name=new) if o == old else o for o in self.columns])

    def _swap(self) -> None:
        """Let two columns take each other's names in one statement."""
        if len(self.columns) > 1:
            one, other = self.chance.sample(self.columns, 2)
            if other.name not in self._like(one):
                return
            names = {one.name: other.name, other.name: one.name}
            parts = ", ".join(f"RENAME COLUMN {old} TO {new}" for old, new in names.items())
            columns = [replace(o, name=names.get(o.name, o.name)) for o in self.columns]
            self._state(f"ALTER TABLE `{self.name}` {parts}", columns)

    def _like(self, one: Column) -> str:
        """Return names that columns of a type have; no history could keep two types in one."""
        return "abcd" if self.retypes else "ab" if one.name in "ab" else "cd"

    def _again(self) -> None:
        """Drop a column and add another one of its name in one statement."""
        old = self.chance.choice(self.columns)
        new = self._new(old.name, None if self.retypes else old.kind)
        columns = [new if one == old else one for one in self.columns]
        ddl = f"ALTER TABLE `{self.name}` DROP COLUMN `{old.name}`, {self._added(new)}"
        self._fill(columns)
        self._state(ddl, columns)

    def _widen(self) -> None:
        if narrow := [one for one in self.columns if one.kind == "int32"]:
            old = self.chance.choice(narrow)
            columns = [replace(o, kind="int64") if o == old else o for o in self.columns]
            self._state(f"ALTER TABLE `{self.name}` MODIFY `{old.name}` BIGINT", columns)

    def _recreate(self) -> None:
        if self.recreates:
            self._state(f"DROP TABLE `{self.name}` /* generated by server */", None)
            self._at = (self._at[0], self._at[1] + 40)
            self.rows.clear()
            self._create()

    def _create(self) -> None:
        count = self.chance.randint(1, 3)
        self._state(f"CREATE TABLE `{self.name}` (…)", [self._new(n) for n in _NAMES[:count]])

    def _alter(self, clause: str, columns: list[Column]) -> None:
        self._fill(columns)
        ddl = f"ALTER TABLE `{self.name}` {self._added(columns[-1])}"
        assert clause in ddl
        self._state(ddl, columns)

    def _added(self, one: Column) -> str:
        default = "" if one.default is None else f" NOT NULL DEFAULT {one.default}"
        return f"ADD COLUMN `{one.name}` {_TYPES[one.kind]}{default}"

    def _fill(self, columns: list[Column]) -> None:
        for row in self.rows.values():
            for one in columns:
                row.setdefault(one.identity, one.default)

    def _new(self, name: str, kind: str | None = None) -> Column:
        self._made += 1
        kind = kind or ("int32" if name in "ab" or self.retypes else "string")
        if self.retypes:
            kind = self.chance.choice(["int32", "string"])
        default = 7 if kind == "int32" and self.chance.random() < 0.4 else None
        return Column(self._made, name, kind, default)

    def _value(self, one: Column) -> Any:
        if one.default is None and self.chance.random() < 0.2:
            return None
        number = self.chance.randint(1, 10**6)
        return f"v{number}" if one.kind == "string" else number

    def _state(self, ddl: str, columns: list[Column] | None, name: str = "") -> None:
        """Add the message of a statement; without ``columns`` the table is dropped.

        :param name: the table that it defines; this one if it is empty.
        """
        kind, named = ddl.split(maxsplit=1)[0], name or self.name
        change: Row = {
            "type": "ALTER" if kind == "RENAME" else kind,
            "id": f'"shop"."{named}"',
            "table": None,
        }
        if columns is not None:
            self.columns = columns
            self.last_names |= {one.identity: one.name for one in columns}
            given = [{"name": "id", "typeName": "INT", "optional": False}]
            for one in columns:
                typed, _, length = _TYPES[one.kind].partition("(")
                definition = {"name": one.name, "typeName": typed, "length": length[:-1] or None}
                given.append({**definition, "optional": one.default is None,
                              "defaultValueExpression": one.default})  # fmt: skip
            change["table"] = {"columns": given, "primaryKeyColumnNames": ["id"]}
        file, pos = self._at
        source = {"file": self.binlog(file), "pos": pos, "snapshot": "false"}
        self.statements.append((self._at, {"source": source, "ddl": ddl, "tableChanges": [change]}))

    def binlog(self, file: int) -> str:
        """Return the name of a file."""
        return f"bin.{file:06}"

    def _emit(self, op: str, key: int | None, row: dict[int, Any], **more: Any) -> None:
        file, pos = self._at
        values = {} if key is None else {o.identity: row.get(o.identity) for o in self.columns}
        named = {} if key is None else {o.name: values[o.identity] for o in self.columns}
        source = {"file": self.binlog(file), "ts_ms": 10**12 + file * 10**6 + pos, **more}
        image = None if key is None else {"id": key, **named}
        message = self.message(op, pos, image, source)
        self.events.append(ChangeEvent(message, self._at, key, op == "d", values, named))

    def message(self, op: str, pos: int, image: Row | None, source: Row) -> Row:
        """Return the message of a change, in the form of this table."""
        if self.form == "row" and op != "t":
            meta = {f"__source_{name}": value for name, value in (source | {"pos": pos}).items()}
            flat = {**(image or {}), "__op": op, "__deleted": str(op == "d").lower(), **meta}
            return self.topic.message({"id": (image or {}).get("id")}, flat)
        self.topic.columns = self._fields() if self.form == "schema" else ()
        before, after = (image, None) if op == "d" else (None, image)
        return self.topic.change(op, pos, before, after, **source)

    def _fields(self) -> list[Row]:
        found = [connect_field("id", "int32", optional=False)]
        for one in self.columns:
            more: Row = {"optional": one.default is None, "default": one.default}
            found.append(connect_field(one.name, one.kind, **more))
        return found


def delivered(
    tables: list[ChangingTable], batches: int, chance: random.Random
) -> Iterator[tuple[list[Row], list[Row]]]:
    """Yield batches of messages, and how much of the schema-change topic is there by then.

    Each partition is delivered in its order, and lags as it likes; some of it comes twice.
    """
    partitions: list[list[ChangeEvent]] = []
    for table in tables:
        parts: list[list[ChangeEvent]] = [[], [], []]
        for one in table.events:
            number = one.message["offset"] % 7 % 3
            key = one.message["key64"]
            number = sum(map(ord, key)) % 3 if key else number
            one.message["partition"] = number
            parts[number].append(one)
        partitions += parts
    statements = sorted((one for table in tables for one in table.statements), key=lambda s: s[0])
    lines = [{"topic": "srv", "partition": 0, "offset": number, "value": json.dumps(value)}
             for number, (_, value) in enumerate(statements)]  # fmt: skip
    reached = (0, 0)
    for batch in range(batches):
        taken: list[ChangeEvent] = []
        for part in partitions:
            size = len(part) if batch == batches - 1 else chance.randint(0, len(part))
            taken += part[:size]
            del part[: max(0, size - chance.randint(0, 2) * (batch < batches - 1))]
        reached = max([reached, *(one.at for one in taken)])
        known = sum(at <= reached for at, _ in statements)
        known = chance.randint(known, len(statements))
        yield [one.message for one in taken], lines[:known]
