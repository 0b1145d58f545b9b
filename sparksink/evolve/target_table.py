"""Creates target tables, and changes their columns as the source's columns change."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pyspark.sql import DataFrame

from sparksink.config.columns import Evolution
from sparksink.config.partitioning import Partitioning
from sparksink.evolve import before_image, partitioning_check, renames, table_checks
from sparksink.evolve.column_mapping import RENAMED, VERSIONS, ColumnMapping, find_name
from sparksink.evolve.earlier_columns import NO_EARLIER, EarlierColumns
from sparksink.evolve.late_rows import restore_steps, save_steps
from sparksink.evolve.migration_steps import MigrationSteps, fill_value_sql, plan_steps
from sparksink.evolve.reused_columns import reuse_steps
from sparksink.evolve.row_alignment import DEFAULT, OPTIONAL_COLUMNS, RowAlignment
from sparksink.evolve.table_facts import TableFacts, pending_facts
from sparksink.schemas.row_schema import RowSchema
from sparksink.schemas.spark_types import BEFORE, ColumnConversion
from sparksink.schemas.versions import SchemaVersions
from sparksink.tables import Add, Alteration, Drop, Rewrite, Table, Widen

_KEYS: Final = "keys"
_PARTITIONING: Final = "partitioning"


class TargetTable:
    """A table whose columns follow those of the source, beside the sink's own columns.

    When a column is added and ``fills`` is set, existing rows get the value that the source gave
    them, for which it emits no row event; a history does not need that. ``altered`` counts
    alterations by kind.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        sink_columns: Mapping[str, str],
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
        self._sink_columns = sink_columns
        self._rules = rules
        self._fills = fills
        self.appends_first = False
        self.beside_keys: tuple[str, ...] = ()
        self.keeps_past = False
        self.has_positions = True
        self._is_new = False
        self._partitioning_checked = False
        self._facts = TableFacts(table)
        self._fitted: set[tuple[object, ...]] = set()
        self.altered: Counter[str] = Counter()

    @property
    def columns(self) -> Mapping[str, str]:
        """The present columns, name to type."""
        return self.table.columns() or {}

    def keys(self) -> tuple[str, ...]:
        """Return the key that the table was created with; empty without a table."""
        return tuple(json.loads(self._facts.texts.get(_KEYS, "[]"))) if self.columns else ()

    def fact(self, name: str) -> str | None:
        """Return a fact that is stored with the table."""
        return self._facts.texts.get(name) if self.columns else None

    def take_is_new(self) -> bool:
        """Return once whether this job has created the table and it is still empty.

        Only once: a retry must look for rows.
        """
        made_now, self._is_new = self._is_new, False
        return made_now

    def set_fact(self, name: str, text: str) -> None:
        """Store a fact with the table, unless it is stored already."""
        if self.fact(name) != text:
            self._facts.store({name: text})

    def fit(
        self,
        shape: RowSchema,
        columns: Mapping[str, ColumnConversion],
        keys: tuple[str, ...],
        renamed: Mapping[str, str],
        versions: SchemaVersions | None = None,
        earlier: EarlierColumns = NO_EARLIER,
    ) -> None:
        """Create or change the table for rows of a schema.

        ``renamed`` are columns that have another name in the target only, ``versions`` are the
        definitions of the schema-change topic, ``earlier`` is what they say of columns.

        :raises TableError: the table cannot follow.
        """
        if not self.keeps_past:
            lost = {column.name for column in shape.columns if column.gone}.difference(keys)
            columns = {name: one for name, one in columns.items() if name not in lost}
        kinds = tuple((name, one.target) for name, one in columns.items())
        gone = versions.dropped if versions and self._rules.drop == "drop" else frozenset()
        table_checks.check_not_dropped(self._name, gone.intersection(columns).difference(keys))
        newest = versions.starts[-1] if versions else None
        fitted = (shape.digest, kinds, keys, gone, newest)
        if fitted in self._fitted:
            return
        table_checks.check_names(self._name, columns, self._sink_columns)
        if self.table.columns() is None:
            self._create(columns, keys, versions, earlier)
        else:
            if versions is not None:
                self._redefine(versions, shape, columns, keys, earlier)
            self._follow(shape, columns, keys, renamed, gone, earlier)
        self._fitted.add(fitted)

    def complete(self, earlier: EarlierColumns) -> None:
        """Complete what is left to do when the table fits each schema of a batch."""
        defaults = {} if self.keeps_past else earlier.defaults
        given = self.columns, self._facts.texts, defaults, self._column_mapping().column_for
        self._follow_steps(restore_steps(*given))

    def align(self, rows: DataFrame) -> DataFrame:
        """Return rows with exactly the table's columns, and the sink's working columns."""
        return self.alignment.align(rows)

    @property
    def alignment(self) -> RowAlignment:
        """How rows are aligned with the present columns."""
        return RowAlignment(
            self.columns,
            self._sink_columns,
            self._facts.texts,
            self._column_mapping(),
            self.table.read,
            self.keeps_past,
        )

    def _create(
        self,
        columns: Mapping[str, ColumnConversion],
        keys: tuple[str, ...],
        versions: SchemaVersions | None,
        earlier: EarlierColumns,
    ) -> None:
        kinds = {name: one.target for name, one in columns.items()}
        partitioning_check.check_columns(self._name, self._how, {**kinds, **self._sink_columns})
        facts = {_KEYS: json.dumps(keys)}
        if versions is not None:
            facts |= renames.version_facts(versions)
        if self._fills:  # messages from before a column was added may follow
            facts |= {DEFAULT + name: sql for name, sql in earlier.defaults.items() if sql}
        if self._how.columns:
            facts[_PARTITIONING] = self._how.text()
        self._facts.replace(facts)
        made = {**kinds, **before_image.with_row_type(self._sink_columns, kinds)}
        primary = (*keys, *self.beside_keys) if self._fills else ()
        self.table.create(made, facts, primary, self._how)
        self.altered["create"] += 1
        self._is_new = self.appends_first

    def _follow(
        self,
        shape: RowSchema,
        columns: Mapping[str, ColumnConversion],
        keys: tuple[str, ...],
        renamed: Mapping[str, str],
        gone: frozenset[str],
        earlier: EarlierColumns,
    ) -> None:
        table_checks.check_same_keys(self._name, self._facts.texts.get(_KEYS), keys)
        self._check_sink_columns()
        if not self._partitioning_checked:
            self._partitioning_checked = True
            partitioning_check.warn_if_unchanged(
                self._name, self._facts.texts.get(_PARTITIONING, ""), self._how
            )
        self._facts.fill([name for name, sql in self._facts.pending().items() if sql])
        own = {old: new for old, new in renamed.items() if old not in columns and new in columns}
        if own and self._rules.rename == "ddl":
            self._follow_steps(renames.own_rename_steps(self.columns, self._before_fields(), own))
        self._drop([name for name in gone if name not in columns and name not in keys])
        kinds = {name: one.target for name, one in columns.items()}
        planned = self._column_mapping().plan_columns(kinds, keys, gone, earlier)
        migration = plan_steps(self._name, self.columns, planned, self._rules, self._format, keys)
        if migration:
            added = {name: shape.column(name) for name in migration.added}
            fillings = {
                n: earlier.defaults[n] if n in earlier.defaults else fill_value_sql(one, columns[n])
                for n, one in added.items()
                if one is not None
            }
            self._change(migration, fillings)
        self._follow_before(kinds)

    def _redefine(
        self,
        versions: SchemaVersions,
        shape: RowSchema,
        columns: Mapping[str, ColumnConversion],
        keys: tuple[str, ...],
        earlier: EarlierColumns,
    ) -> None:
        """Rename columns to their present names, and drop values of former columns of a name."""
        self._facts.forget(RENAMED + name for name in versions.newest.shape.names)
        if self._rules.rename == "ddl":
            if self.has_positions:
                given = self.columns, self._facts.texts, versions, self._has_rows
                defaults = {} if self.keeps_past else earlier.defaults
                self._follow_steps(save_steps(*given, defaults, keeps=self.keeps_past))
            table = self.columns, self._facts.texts, versions, self._before_fields()
            self._follow_steps(renames.rename_steps(*table))
        self._facts.forget(DEFAULT + name for name in versions.dropped)
        if self.keeps_past:
            return
        reusing = (versions, shape, columns, keys, earlier.defaults)
        present = self.columns, self._facts.texts, self._format
        self._follow_steps(reuse_steps(*reusing, *present))

    def _follow_steps(self, steps: Iterable[renames.Step]) -> None:
        for facts, actions in steps:
            if facts or actions:
                self._alter(facts, actions)

    def _has_rows(self, where: str) -> bool:
        return not self.table.read().where(where).isEmpty()

    def _column_mapping(self) -> ColumnMapping:
        return ColumnMapping(self.columns, self._facts.texts, self._rules, self._format)

    def _drop(self, names: list[str]) -> None:
        """Drop columns, except those of the partitioning."""
        found = [one for name in names for one in (name, *self._column_mapping().beside(name))]
        found = [name for name in found if name in self.columns and name not in self._how.columns]
        if found:
            stale = {f"{prefix}{name}" for name in found for prefix in (DEFAULT, VERSIONS)}
            self._alter(dict.fromkeys(stale & self._facts.texts.keys(), ""), [Drop(found)])

    def _follow_before(self, columns: Mapping[str, str]) -> None:
        if self._sink_columns.get(BEFORE) != before_image.ROW:
            return
        present, known = self._before_fields(), self._column_mapping().renamed()
        planned = {
            find_name(name, present) or known.get(name, name): kind
            for name, kind in columns.items()
        }
        if migration := plan_steps(self._name, present, planned, self._rules, self._format):
            self._alter({}, before_image.field_alterations(migration))

    def _check_sink_columns(self) -> None:
        """Add missing optional columns; refuse a table created with other mirror settings."""
        missing = self._sink_columns.keys() - self.columns.keys()
        if missing and missing <= {*OPTIONAL_COLUMNS}:
            source = {n: kind for n, kind in self.columns.items() if n not in self._sink_columns}
            made = before_image.with_row_type(self._sink_columns, source)
            self._alter({}, [Add({name: made[name] for name in sorted(missing)})])
        elif missing:
            raise table_checks.other_settings(self._name)

    def _before_fields(self) -> Mapping[str, str]:
        """Return the fields of the row before a change, name to type; empty without it."""
        if self._sink_columns.get(BEFORE) != before_image.ROW or BEFORE not in self.columns:
            return {}
        return before_image.row_fields(self.table.read())

    def _change(self, migration: MigrationSteps, fillings: Mapping[str, str | None]) -> None:
        """Widen, then add; pending fills are stored first, so that a restart completes them."""
        filled = {name: sql for name, sql in fillings.items() if sql and self._fills}
        actions: list[Alteration] = [Widen(name, kind) for name, kind in migration.widened.items()]
        actions += [Rewrite(name, kind, self._how) for name, kind in migration.rewritten.items()]
        mapping = self._column_mapping()
        if migration.rewritten:
            before = self._facts.texts.get(_PARTITIONING, "")
            table_checks.check_rewritable(self._name, before, self._how)
        former = mapping.former_type_facts(migration.rewritten)
        facts = pending_facts(filled) | mapping.additional_column_facts(migration.added) | former
        self._alter(facts, [*actions, *([Add(migration.added)] if migration.added else [])])
        self._facts.fill(filled)

    def _alter(self, facts: Mapping[str, str], actions: Sequence[Alteration]) -> None:
        self.table.alter(actions, facts)
        if actions:
            self._fitted.clear()  # what fitted before may not fit now
        self._facts.update(facts)
        self.altered.update(type(action).__name__.lower() for action in actions)
