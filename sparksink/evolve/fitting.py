"""Keeping a target in shape: made when it is missing, changed when the source's table changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.config.columns import Evolution
from sparksink.errors import TableError
from sparksink.evolve.steps import filling, plain, steps
from sparksink.schemas.shapes import Shape
from sparksink.schemas.spark_types import Mapped, quoted
from sparksink.tables import Add, Alteration, Fill, Rename, Table, Widen

_KEYS: Final = "keys"
_DEFAULT: Final = "default."
_PENDING: Final = "pending."
_RENAMED: Final = "renamed."


class Target:
    """A table whose columns follow those of the source; ``own`` are the sink's columns in it.

    Rows that are there when a column is added get what the source gave them, as no row event
    tells of it: with ``fills``, which a history does not need.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        own: Mapping[str, str],
        rules: Evolution,
        table_format: str,
        *,
        fills: bool,
    ) -> None:
        self.table = table
        self._format = table_format
        self._name = name
        self._own = own
        self._rules = rules
        self._fills = fills
        self._facts: dict[str, str] | None = None
        self._fitted: set[tuple[str, tuple[str, ...], tuple[str, ...]]] = set()

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns as they are, name to type."""
        return self.table.columns() or {}

    def keys(self) -> tuple[str, ...]:
        """Return the key that the table was made with; none where there is no table."""
        return tuple(json.loads(self._noted().get(_KEYS, "[]"))) if self.columns else ()

    def noted(self, name: str) -> str | None:
        """Return what was noted beside the rows."""
        return self._noted().get(name) if self.columns else None

    def note(self, name: str, text: str) -> None:
        """Note something beside the rows, unless it is noted already."""
        if self.noted(name) != text:
            self._note({name: text}, [])

    def fit(
        self,
        shape: Shape,
        columns: Mapping[str, Mapped],
        keys: tuple[str, ...],
        renamed: Mapping[str, str],
    ) -> None:
        """Make or change the table so that rows of a shape go into it.

        ``renamed`` is what the schema-change topic tells, old names to new ones.

        :raises TableError: it cannot be done.
        """
        wanted = (shape.digest, tuple(columns), keys)
        if wanted in self._fitted:
            return
        reserved = sorted(self._own.keys() & columns.keys())
        if reserved:
            names = ", ".join(reserved)
            raise TableError(f"{self._name} has columns named as the sink's own: {names}.")
        if self.table.columns() is None:
            self._create(columns, keys)
        else:
            self._follow(shape, columns, keys, renamed)
        self._fitted.add(wanted)

    def aligned(self, rows: DataFrame) -> DataFrame:
        """Return rows with exactly the table's columns, and those that the sink works with."""
        given = {name: plain(kind) for name, kind in rows.dtypes}
        source = [name for name in self.columns if name not in self._own]
        work = [f.col(name) for name in given if name.startswith("__") and name not in source]
        return rows.select(*(self._value(name, given) for name in source), *work)

    def _value(self, name: str, given: Mapping[str, str]) -> SparkColumn:
        kind = self.columns[name]
        old = next((old for old, new in self._renames().items() if new == name), None)
        found = name if name in given else old
        if found is None or found not in given or (found == old and old in self.columns):
            return f.expr(self._noted().get(_DEFAULT + name) or "NULL").cast(kind).alias(name)
        value = f.col(quoted(found))
        return (value if given[found] == kind else value.cast(kind)).alias(name)

    def _create(self, columns: Mapping[str, Mapped], keys: tuple[str, ...]) -> None:
        kinds = {name: one.target for name, one in columns.items()}
        self._facts = {_KEYS: json.dumps(keys)}
        self.table.create({**kinds, **self._own}, self._facts, keys if self._fills else ())

    def _follow(
        self,
        shape: Shape,
        columns: Mapping[str, Mapped],
        keys: tuple[str, ...],
        renamed: Mapping[str, str],
    ) -> None:
        self._same_keys(keys)
        self._same_own()
        self._fill([name for name, sql in self._pending().items() if sql])
        if self._rules.rename == "ddl":
            self._rename({old: new for old, new in renamed.items() if old not in columns}, columns)
        known = self._renames()
        wanted = {
            known.get(name, name) if name not in self.columns else name: one.target
            for name, one in columns.items()
        }
        todo = steps(self._name, self.columns, wanted, self._rules, self._format)
        if todo:
            fillings = {name: filling(shape.column(name), columns[name]) for name in todo.added}  # type: ignore[arg-type] # what is wanted is in the shape
            self._change(todo.added, todo.widened, fillings)

    def _same_keys(self, keys: tuple[str, ...]) -> None:
        before = self._noted().get(_KEYS)
        if before is not None and before != json.dumps(keys):
            raise TableError(
                f"{self._name}: its key was {before} and is now {json.dumps(keys)}.",
                "Remove the table, take a new snapshot of it, and run park replay.",
            )

    def _same_own(self) -> None:
        """Refuse a table that another setting of ``mirror.scd`` or ``mirror.deletes`` has made."""
        if self._own.keys() - self.columns.keys():
            raise TableError(
                f"{self._name} was made with other settings of the mirror.",
                "Set mirror.scd and mirror.deletes as they were, or remove the table, let the"
                " connector take a new snapshot of it, and run park replay.",
            )

    def _rename(self, renamed: Mapping[str, str], columns: Mapping[str, Mapped]) -> None:
        for old, new in renamed.items():
            if old in self.columns and new in columns and new not in self.columns:
                self._note({_RENAMED + old: new}, [Rename(old, new)])

    def _change(
        self,
        added: Mapping[str, str],
        widened: Mapping[str, str],
        fillings: Mapping[str, str | None],
    ) -> None:
        """Widen, then add; what has to be filled is noted before, for the case of a crash."""
        pending = {_PENDING + name: sql for name, sql in fillings.items() if sql and self._fills}
        actions: list[Alteration] = [Widen(name, kind) for name, kind in widened.items()]
        self._note(pending, [*actions, *([Add(added)] if added else [])])
        self._fill([name for name, sql in fillings.items() if sql and self._fills])

    def _fill(self, names: list[str]) -> None:
        pending = self._pending()
        names = [name for name in names if name in self.columns and pending.get(name)]
        if not names:
            return
        self.table.alter([Fill({name: pending[name] for name in names})], {})
        done = {_DEFAULT + name: pending[name] for name in names}
        self._note({**done, **{_PENDING + name: "" for name in names}}, [])

    def _pending(self) -> dict[str, str]:
        return self._with_prefix(_PENDING)

    def _renames(self) -> dict[str, str]:
        return self._with_prefix(_RENAMED)

    def _with_prefix(self, prefix: str) -> dict[str, str]:
        noted = self._noted().items()
        return {
            name.removeprefix(prefix): value for name, value in noted if name.startswith(prefix)
        }

    def _noted(self) -> dict[str, str]:
        if self._facts is None:
            self._facts = dict(self.table.facts())
        return self._facts

    def _note(self, facts: Mapping[str, str], actions: Sequence[Alteration]) -> None:
        self.table.alter(actions, facts)
        self._noted().update(facts)
