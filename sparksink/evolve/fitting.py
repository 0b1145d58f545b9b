"""Keeping a target in shape: made when it is missing, changed when the source's table changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.config.columns import Evolution
from sparksink.config.partitioning import Partitioning
from sparksink.decode.extras import OF_EVENTS
from sparksink.decode.reading import GONE
from sparksink.errors import TableError
from sparksink.evolve import nested, placing, redefined
from sparksink.evolve.homes import RENAMED, REWRITTEN, VERSIONS, Homes
from sparksink.evolve.steps import Steps, filling, fits, plain, steps, widens
from sparksink.order import before_sql
from sparksink.schemas.shapes import Shape
from sparksink.schemas.spark_types import BEFORE, Mapped, quoted
from sparksink.schemas.versions import Versions
from sparksink.tables import Add, Alteration, Drop, Fill, Rename, Rewrite, Table, Widen

_KEYS: Final = "keys"
_DEFAULT: Final = "default."
_PENDING: Final = "pending."
_PARTITIONING: Final = "partitioning"
_EXTRAS: Final = (BEFORE, *OF_EVENTS)
"""Columns that a history may have or not have, and that it can get later."""


class Target:
    """A table whose columns follow those of the source; ``own`` are the sink's columns in it.

    Rows that are there when a column is added get what the source gave them, as no row event
    tells of it: with ``fills``, which a history does not need. ``altered`` counts what was done to
    the columns.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        own: Mapping[str, str],
        rules: Evolution,
        table_format: str,
        how: Partitioning,
        *,
        fills: bool,
    ) -> None:
        self.table = table
        self._format = table_format
        self._how = how
        self._name = name
        self._own = own
        self._rules = rules
        self._fills = fills
        self.appends_first = False
        self.beside_keys: tuple[str, ...] = ()
        self.keeps_past = False
        self._made_now = False
        self._placed = False
        self._facts: dict[str, str] | None = None
        self._fitted: set[tuple[object, ...]] = set()
        self.altered: Counter[str] = Counter()

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

    def is_made_now(self) -> bool:
        """Tell once whether the table was made by this job and is empty still.

        Once, as what is repeated after a fault must look for rows.
        """
        made_now, self._made_now = self._made_now, False
        return made_now

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
        versions: Versions | None = None,
    ) -> None:
        """Make or change the table so that rows of a shape go into it.

        ``renamed`` are columns that only the target has called otherwise, ``versions`` is what the
        schema-change topic tells.

        :raises TableError: it cannot be done.
        """
        if not self.keeps_past:
            lost = {column.name for column in shape.columns if column.gone}.difference(keys)
            columns = {name: one for name, one in columns.items() if name not in lost}
        kinds = tuple((name, one.target) for name, one in columns.items())
        gone = versions.dropped if versions and self._rules.drop == "drop" else frozenset()
        newest = versions.starts[-1] if versions else None
        wanted = (shape.digest, kinds, keys, gone, newest)
        if wanted in self._fitted:
            return
        reserved = sorted(self._own.keys() & columns.keys())
        if reserved:
            names = ", ".join(reserved)
            raise TableError(f"{self._name} has columns named as the sink's own: {names}.")
        if self.table.columns() is None:
            self._create(columns, keys, versions)
        else:
            self._follow(shape, columns, keys, renamed, gone, versions)
        self._fitted.add(wanted)

    def aligned(self, rows: DataFrame) -> DataFrame:
        """Return rows with exactly the table's columns, and those that the sink works with."""
        fields = rows.schema.fields
        given = {one.name: plain(one.dataType.simpleString()) for one in fields
                 if self.keeps_past or not one.metadata.get(GONE)}  # fmt: skip
        source = [name for name in self.columns if name not in self._own]
        work = [
            f.col(name)
            for name in given
            if name.startswith("__") and name not in source and name not in _EXTRAS
        ]
        extras = [self._extra(name, rows) for name in _EXTRAS if name in self._own]
        homes = self._homes()
        return rows.select(*(self._value(name, given, homes) for name in source), *work, *extras)

    def _extra(self, name: str, rows: DataFrame) -> SparkColumn:
        if name not in rows.columns:  # of a message that holds no row
            return f.lit(None).cast(self.table.read().schema[name].dataType).alias(name)
        if self._own[name] != nested.ROW:
            return f.col(name)
        old = {new: old for old, new in self._homes().renamed().items()}
        given, wanted = nested.inside(rows), nested.inside(self.table.read())
        return nested.aligned(given, wanted, lambda one: one if one in given else old.get(one, one))

    def _value(self, name: str, given: Mapping[str, str], homes: Homes) -> SparkColumn:
        kind = self.columns[name]
        found = homes.origin(name, given)
        if found is not None and not homes.takes(name, given[found]):
            return f.lit(None).cast(kind).alias(name)
        if found is None:
            return f.expr(self._noted().get(_DEFAULT + name) or "NULL").cast(kind).alias(name)
        value = f.col(quoted(found))
        return (value if given[found] == kind else value.cast(kind)).alias(name)

    def _create(
        self, columns: Mapping[str, Mapped], keys: tuple[str, ...], versions: Versions | None
    ) -> None:
        kinds = {name: one.target for name, one in columns.items()}
        placing.check(self._name, self._how, {**kinds, **self._own})
        self._facts = {_KEYS: json.dumps(keys)}
        if versions is not None:
            self._facts |= redefined.facts(versions)
        if self._how.columns:
            self._facts[_PARTITIONING] = self._how.text()
        made = {**kinds, **nested.kinds(self._own, kinds)}
        primary = (*keys, *self.beside_keys) if self._fills else ()
        self.table.create(made, self._facts, primary, self._how)
        self.altered["create"] += 1
        self._made_now = self.appends_first

    def _follow(
        self,
        shape: Shape,
        columns: Mapping[str, Mapped],
        keys: tuple[str, ...],
        renamed: Mapping[str, str],
        gone: frozenset[str],
        versions: Versions | None,
    ) -> None:
        if versions is not None:
            self._redefine(versions, shape, columns, keys)
        self._same_keys(keys)
        self._same_own()
        if not self._placed:
            self._placed = True
            placing.tell(self._name, self._noted().get(_PARTITIONING, ""), self._how)
        self._fill([name for name, sql in self._pending().items() if sql])
        if self._rules.rename == "ddl":
            self._rename({old: new for old, new in renamed.items() if old not in columns}, columns)
        self._drop([name for name in gone if name not in columns and name not in keys])
        kinds = {name: one.target for name, one in columns.items()}
        wanted = self._homes().wanted(kinds, keys, gone)
        todo = steps(self._name, self.columns, wanted, self._rules, self._format, keys)
        if todo:
            added = {name: shape.column(name) for name in todo.added}
            fillings = {n: filling(one, columns[n]) for n, one in added.items() if one is not None}
            self._change(todo, fillings)
        self._follow_before(kinds)

    def _redefine(
        self, versions: Versions, shape: Shape, columns: Mapping[str, Mapped], keys: tuple[str, ...]
    ) -> None:
        """Give columns the names that they have now, and drop values of others of that name."""
        stale = {RENAMED + name for name in versions.newest.shape.names} & self._noted().keys()
        if any(self._noted()[name] for name in stale):
            self._note(dict.fromkeys(stale, ""), [])
        if self._rules.rename == "ddl":
            self._rename_before(redefined.moved_by(self._noted(), versions))
            for facts, actions in redefined.renamings(self.columns, self._noted(), versions):
                if facts or actions:
                    self._note(facts, actions)
        if self.keeps_past:
            return
        for name, start in redefined.reused(versions, self._noted()).items():
            column = shape.column(name)
            if name not in columns or name in keys or column is None:
                continue
            kind, present = plain(columns[name].target), plain(self.columns.get(name, ""))
            value = filling(column, columns[name]) or ""
            if fits(kind, present) or widens(self._format, present, kind):
                fill = Fill({name: f"CAST({value or 'NULL'} AS {present})"}, before_sql(start))
                self._note({_DEFAULT + name: value}, [fill])
            elif present:
                self._note({_DEFAULT + name: ""}, [Drop([name])])
            self._note(redefined.noted(name, start), [])

    def _homes(self) -> Homes:
        return Homes(self.columns, self._noted(), self._rules, self._format)

    def _drop(self, names: list[str]) -> None:
        """Remove columns; one by which the rows lie in files has to stay."""
        found = [one for name in names for one in (name, *self._homes().beside(name))]
        found = [name for name in found if name in self.columns and name not in self._how.columns]
        if found:
            stale = {f"{prefix}{name}" for name in found for prefix in (_DEFAULT, VERSIONS)}
            self._note(dict.fromkeys(stale & self._noted().keys(), ""), [Drop(found)])

    def _follow_before(self, columns: Mapping[str, str]) -> None:
        if self._own.get(BEFORE) != nested.ROW:
            return
        present, known = nested.inside(self.table.read()), self._homes().renamed()
        wanted = {
            name if name in present else known.get(name, name): kind
            for name, kind in columns.items()
        }
        if todo := steps(self._name, present, wanted, self._rules, self._format):
            self._note({}, nested.actions(todo))

    def _same_keys(self, keys: tuple[str, ...]) -> None:
        before = self._noted().get(_KEYS)
        if before is not None and before != json.dumps(keys):
            raise TableError(
                f"{self._name}: its key was {before} and is now {json.dumps(keys)}.",
                "Remove the table, take a new snapshot of it, and run park replay.",
            )

    def _same_own(self) -> None:
        """Refuse a table that another setting of ``mirror.scd`` or ``mirror.deletes`` has made."""
        missing = self._own.keys() - self.columns.keys()
        if missing and missing <= {*_EXTRAS}:
            source = {n: kind for n, kind in self.columns.items() if n not in self._own}
            made = nested.kinds(self._own, source)
            self._note({}, [Add({name: made[name] for name in sorted(missing)})])
        elif missing:
            raise TableError(
                f"{self._name} was made with other settings of the mirror.",
                "Set mirror.scd and mirror.deletes as they were, or remove the table, let the"
                " connector take a new snapshot of it, and run park replay.",
            )

    def _rename(self, renamed: Mapping[str, str], columns: Mapping[str, Mapped]) -> None:
        for old, new in renamed.items():
            if old in self.columns and new in columns and new not in self.columns:
                self._note({RENAMED + old: new}, [Rename(old, new)])
        self._rename_before({old: new for old, new in renamed.items() if new in columns})

    def _rename_before(self, renamed: Mapping[str, str]) -> None:
        if not renamed or self._own.get(BEFORE) != nested.ROW:
            return
        if actions := nested.renamings(nested.inside(self.table.read()), renamed):
            self._note({}, actions)

    def _change(self, todo: Steps, fillings: Mapping[str, str | None]) -> None:
        """Widen, then add; what has to be filled is noted before, for the case of a crash."""
        pending = {_PENDING + name: sql for name, sql in fillings.items() if sql and self._fills}
        actions: list[Alteration] = [Widen(name, kind) for name, kind in todo.widened.items()]
        actions += [Rewrite(name, kind, self._how) for name, kind in todo.rewritten.items()]
        facts = {**pending, **self._homes().noted(todo.added), **self._types_before(todo)}
        self._note(facts, [*actions, *([Add(todo.added)] if todo.added else [])])
        self._fill([name for name, sql in fillings.items() if sql and self._fills])

    def _types_before(self, todo: Steps) -> dict[str, str]:
        """Return the facts of the types that columns had which are cast in all rows.

        :raises TableError: the rows lie otherwise than the settings say, and so cannot be written.
        """
        if todo.rewritten and self._noted().get(_PARTITIONING, "") != self._how.text():
            raise TableError(
                f"{self._name} lies otherwise than target.partition.by and cluster.by say, so that"
                " its columns cannot be cast.",
                "Set both as they were, and run park replay.",
            )
        names = {name: REWRITTEN + name for name in todo.rewritten}
        before = {name: json.loads(self._noted().get(fact) or "[]") for name, fact in names.items()}
        return {
            fact: json.dumps([*before[name], plain(self.columns[name])])
            for name, fact in names.items()
        }

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
        if actions:
            self._fitted.clear()  # what fitted before may not do so any more
        self._noted().update(facts)
        self.altered.update(type(action).__name__.lower() for action in actions)
