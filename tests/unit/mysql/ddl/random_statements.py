"""Random ALTER TABLE of many clauses in any order, and a model of what the server does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from tests.unit.mysql.ddl.random_tables import NAMES, TYPES, Field, Model, choose_position

_VERBS = st.sampled_from(["", "", "DROP COLUMN", "RENAME COLUMN", "CHANGE", "MODIFY"])


@dataclass(frozen=True, eq=False)
class Edit:
    """What a statement does to a column; ``old`` is None if it adds one, ``new`` if it drops it."""

    verb: str
    old: Field | None
    new: Field | None

    @property
    def name_before(self) -> str | None:
        field = self.old or self.new
        return field.name if field else None

    def clause(self, draw: Any) -> str:
        words = [self.verb]
        if self.old and self.verb != "MODIFY":
            words.append(f"`{_any_case(draw, self.old.name)}`")
        if self.new:
            renames = self.verb == "RENAME COLUMN"
            words.append(f"TO `{self.new.name}`" if renames else self.new.sql())
        return " ".join(words)


@st.composite
def statements(draw: Any, model: Model) -> tuple[str, Model]:
    """Return the clauses of an ALTER TABLE and what it makes of the model."""
    edits = _edits(draw, model)
    columns = [edit for edit in edits if edit.old and edit.new]
    clauses = []
    for edit in draw(st.permutations([edit for edit in edits if edit.verb])):
        clause = edit.clause(draw)
        if edit.verb in ("ADD COLUMN", "CHANGE", "MODIFY"):
            clause += _move(draw, columns, edit)
        clauses.append(clause)
    fields = tuple(edit.new for edit in columns if edit.new)
    altered = Model(fields, tuple(_key(model, columns)))
    keys, altered = _rekey(draw, model, altered)
    for clause in keys:
        clauses.insert(draw(st.integers(0, len(clauses))), clause)
    return ", ".join(clauses), altered


def _edits(draw: Any, model: Model) -> list[Edit]:
    """Choose what happens to each column, and the columns to add; names may be used again."""
    verbs = [draw(_VERBS) for _ in model.fields]
    if all(verb == "DROP COLUMN" for verb in verbs):
        verbs[0] = ""
    added = draw(st.integers(0, 2))
    paired = list(zip(verbs, model.fields, strict=True))
    held = {field.name for verb, field in paired if verb in ("", "MODIFY")}
    released = [field.name for verb, field in paired if field.name not in held]
    others = [name for name in NAMES if name not in held and name not in released]
    free = draw(st.permutations(released + others[: len(model.fields) + added]))
    edits = [
        Edit(verb, field, _redefined(draw, verb, field, model, free)) for verb, field in paired
    ]
    for _ in range(added):
        new = Field(free.pop(), draw(st.sampled_from(TYPES)), draw(st.booleans()))
        edits.append(Edit("ADD COLUMN", None, new))
    return edits


def _redefined(draw: Any, verb: str, field: Field, model: Model, free: list[str]) -> Field | None:
    if verb == "DROP COLUMN":
        return None
    name = free.pop() if verb in ("RENAME COLUMN", "CHANGE") else field.name
    if verb in ("", "RENAME COLUMN"):
        return replace(field, name=name)
    nullable = draw(st.booleans()) and field.name not in model.key
    return Field(name, draw(st.sampled_from(TYPES)), nullable)


def _move(draw: Any, columns: list[Edit], edit: Edit) -> str:
    """Place a column among those that are there by now; return the clause for it."""
    index = columns.index(edit) if edit in columns else len(columns)
    rest = [column for column in columns if column is not edit]
    sql, chosen = choose_position(draw, Model(tuple(column.new for column in rest if column.new)))
    rest.insert(index if chosen is None else chosen, edit)
    columns[:] = rest
    before, after, name = sql.partition("AFTER ")
    return before + after + _any_case(draw, name)


def _key(model: Model, columns: list[Edit]) -> list[str]:
    """Return the old key: of each part the first column that had its name, or is added with it."""
    found = (
        next((column.new for column in columns if column.name_before == part), None)
        for part in model.key
    )
    return [field.name for field in found if field]


def _rekey(draw: Any, model: Model, altered: Model) -> tuple[list[str], Model]:
    if not draw(st.booleans()):
        return [], altered
    clauses = ["DROP PRIMARY KEY"] if model.key else []
    key = draw(st.lists(st.sampled_from(altered.fields), max_size=2, unique=True))
    names = tuple(field.name for field in key)
    if key:
        parts = ", ".join(f"`{_any_case(draw, name)}`" for name in names)
        clauses.append(f"ADD PRIMARY KEY ({parts})")
    fields = (replace(f, nullable=f.nullable and f.name not in names) for f in altered.fields)
    return clauses, Model(tuple(fields), names)


def _any_case(draw: Any, name: str) -> str:
    return name.upper() if draw(st.booleans()) else name
