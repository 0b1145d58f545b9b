"""Random tables and alterations: as SQL, and as a model that shares no code with the parser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from connector.capture.tables import Table

TYPES: tuple[tuple[str, str, int | None], ...] = (  # as written, the name of it, the length
    ("INT", "INT", None),
    ("bigint(20) unsigned", "BIGINT UNSIGNED", 20),
    ("VARCHAR(33)", "VARCHAR", 33),
    ("char(3) CHARACTER SET latin1", "CHAR", 3),
    ("DECIMAL(7,2)", "DECIMAL", 7),
    ("Datetime(6)", "DATETIME", 6),
    ("ENUM('a','b,)')", "ENUM", 1),
    ("LONGTEXT", "LONGTEXT", None),
    ("json", "JSON", None),
    ("BIT(5)", "BIT", 5),
)
_SPACES = st.sampled_from([" ", "  ", "\n", "\t", " /* , ( */ ", " -- ' )\n", ' # "\n'])
NAMES = (
    *(f"{letter}{number}" for letter in "abc_" for number in range(5)),
    *("select", "key", "primary", "order by", "a,b", "c)", "o'n", 'q"q', "ünï", "action", "1st"),
)


@dataclass(frozen=True)
class Field:
    """A column of the model."""

    name: str
    kind: tuple[str, str, int | None]
    nullable: bool

    def sql(self) -> str:
        return f"`{self.name}` {self.kind[0]}{'' if self.nullable else ' NOT NULL'}"


@dataclass(frozen=True)
class Model:
    """A table of the model."""

    fields: tuple[Field, ...]
    key: tuple[str, ...] = ()

    def index(self, name: str) -> int:
        return [field.name for field in self.fields].index(name)


def shape(table: Table) -> Model:
    """Return what the model knows of a table."""
    kinds = {(name, length): kind for kind in TYPES for _, name, length in [kind]}
    return Model(
        tuple(
            Field(column.name, kinds[column.type_name, column.length], column.optional)
            for column in table.columns
        ),
        table.primary_key,
    )


@st.composite
def fields(draw: Any, taken: frozenset[str] = frozenset()) -> Field:
    name = draw(st.sampled_from([name for name in NAMES if name not in taken]))
    return Field(name, draw(st.sampled_from(TYPES)), draw(st.booleans()))


@st.composite
def models(draw: Any) -> Model:
    columns = draw(st.lists(fields(), min_size=1, max_size=8, unique_by=lambda field: field.name))
    keyed = draw(st.lists(st.sampled_from(columns), max_size=3, unique=True))
    key = tuple(field.name for field in keyed)
    required = (replace(f, nullable=f.nullable and f.name not in key) for f in columns)
    return Model(tuple(required), key)


@st.composite
def created(draw: Any, model: Model, name: str = "t") -> str:
    """Write a model as CREATE TABLE, with white space and comments wherever they may be."""
    parts = [field.sql() for field in model.fields]
    if model.key:
        names = ", ".join(f"`{column}`" for column in model.key)
        parts.insert(draw(st.integers(0, len(parts))), f"PRIMARY KEY ({names})")
    parts += draw(st.lists(st.sampled_from(["CHECK (1 > (0))", "KEY (`x`)"]), max_size=2))
    gap = draw(_SPACES)
    tail = draw(st.sampled_from(["", "ENGINE=InnoDB COMMENT='a, b)'", "PARTITION BY HASH (1)"]))
    return f"CREATE{gap}TABLE `{name}`{gap}(" + f"{gap},".join(parts) + f"){gap}{tail}"


@st.composite
def alterations(draw: Any, model: Model) -> tuple[str, Model]:
    """Return a clause of ALTER TABLE and what it makes of the model."""
    choices = [_add, _modify, _change, _rename, _rekey]
    if len(model.fields) > 1:
        choices.append(_drop)
    changed: tuple[str, Model] = draw(draw(st.sampled_from(choices))(model))
    return changed


@st.composite
def _add(draw: Any, model: Model) -> tuple[str, Model]:
    new = draw(fields(frozenset(field.name for field in model.fields)))
    place, index = choose_position(draw, model)
    columns = list(model.fields)
    columns.insert(len(columns) if index is None else index, new)
    return f"ADD COLUMN {new.sql()}{place}", replace(model, fields=tuple(columns))


@st.composite
def _modify(draw: Any, model: Model) -> tuple[str, Model]:
    old = draw(st.sampled_from(model.fields))
    return _redefined(draw, model, old, old.name, "MODIFY COLUMN")


@st.composite
def _change(draw: Any, model: Model) -> tuple[str, Model]:
    old = draw(st.sampled_from(model.fields))
    taken = frozenset(field.name for field in model.fields) - {old.name}
    name = draw(fields(taken)).name
    return _redefined(draw, model, old, name, f"CHANGE `{old.name}`")


def _redefined(draw: Any, model: Model, old: Field, name: str, verb: str) -> tuple[str, Model]:
    nullable = draw(st.booleans()) and old.name not in model.key
    new = Field(name, draw(st.sampled_from(TYPES)), nullable)
    rest = Model(tuple(field for field in model.fields if field is not old))
    place, index = choose_position(draw, rest)
    columns = list(rest.fields)
    columns.insert(model.index(old.name) if index is None else index, new)
    key = tuple(name if part == old.name else part for part in model.key)
    return f"{verb} {new.sql()}{place}", Model(tuple(columns), key)


@st.composite
def _rename(draw: Any, model: Model) -> tuple[str, Model]:
    old = draw(st.sampled_from(model.fields))
    name = draw(fields(frozenset(field.name for field in model.fields))).name
    columns = tuple(replace(f, name=name) if f is old else f for f in model.fields)
    key = tuple(name if part == old.name else part for part in model.key)
    return f"RENAME COLUMN `{old.name}` TO `{name}`", Model(columns, key)


@st.composite
def _drop(draw: Any, model: Model) -> tuple[str, Model]:
    old = draw(st.sampled_from(model.fields))
    columns = tuple(field for field in model.fields if field is not old)
    return f"DROP COLUMN `{old.name}`", Model(
        columns, tuple(part for part in model.key if part != old.name)
    )


@st.composite
def _rekey(draw: Any, model: Model) -> tuple[str, Model]:
    if model.key and draw(st.booleans()):
        return "DROP PRIMARY KEY", replace(model, key=())
    chosen = draw(st.lists(st.sampled_from(model.fields), min_size=1, max_size=2, unique=True))
    key = tuple(field.name for field in chosen)
    columns = tuple(replace(f, nullable=f.nullable and f.name not in key) for f in model.fields)
    names = ", ".join(f"`{name}`" for name in key)
    dropped = "DROP PRIMARY KEY, " if model.key else ""
    return f"{dropped}ADD PRIMARY KEY ({names})", Model(columns, key)


def choose_position(draw: Any, model: Model) -> tuple[str, int | None]:
    """Choose where a column goes: the clause for it, and the index; None is where it is."""
    index = draw(st.none() | st.integers(0, len(model.fields)))
    if index is None:
        return "", None
    if index == 0:
        return " FIRST", 0
    return f" AFTER `{model.fields[index - 1].name}`", index
