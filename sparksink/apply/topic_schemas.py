"""The schemas of one topic's messages, with the columns and names of its target tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparksink.apply.topic_tables import counts_rows
from sparksink.config.columns import HASH
from sparksink.config.keys import SinkConfig
from sparksink.decode.message_schema import MessageSchema
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.reading import TableReading
from sparksink.decode.undefined_columns import hidden_columns
from sparksink.errors import TableError
from sparksink.evolve.earlier_columns import NO_EARLIER, EarlierColumns
from sparksink.evolve.migration_steps import fill_value_sql
from sparksink.schemas.field_names import find_adjustment
from sparksink.schemas.masks import masked_conversion, masked_name
from sparksink.schemas.names import select_columns
from sparksink.schemas.row_schema import Column
from sparksink.schemas.schema_changes import is_known
from sparksink.schemas.spark_types import ColumnConversion
from sparksink.source.routes import Route


class TopicSchemas:
    """Selects and names columns, and decides how they are read."""

    def __init__(self, route: Route, config: SinkConfig, layouts: MessageSchemas) -> None:
        self._route = route
        self._config = config
        self._rules = config.table(route.table)
        self._target_name = config.target.column
        self._layouts = layouts

    def schema(self, mark: str) -> MessageSchema:
        """Return the schema of a mark with the columns and names of the target.

        :raises TableError: a column may be a renamed one that the settings hide.
        """
        table, rules = self._route.table, self._rules.columns
        found = self._layouts.layout(self._route.topic, table, mark)
        self._check_names(found)
        if undefined := hidden_columns(self._layouts, self._route.topic, mark):
            raise TableError(
                f"{self._route.table}: no definition in source.ddl.topic has the column"
                f" {undefined[0]}, which may be a renamed one that is masked or excluded.",
                "Run park replay when the definition has arrived, or mask, exclude or include the"
                " column by this name.",
            )
        row, keeps = found.form == "row", self._config.evolution.drop == "keep"
        trace = self._layouts.trace(table, mark, keeps=keeps)
        names = self._layouts.source_names(table, mark)
        shape = select_columns(
            table, found.shape, rules, self._target_name, row=row, trace=trace, names=names
        )
        return replace(found, shape=shape)

    def _check_names(self, layout: MessageSchema) -> None:
        """Refuse columns whose names the connector has adjusted unknown to the settings.

        :raises TableError: there are some.
        """
        versions = self._layouts.versions(self._route.table)
        defined = {name for one in versions.versions for name in one.names} if versions else set()
        is_internal = layout.form == "row"
        given = {n for n in layout.shape.names if not (is_internal and n.startswith("__"))}
        if mode := find_adjustment(given, defined):
            raise TableError(
                f"{self._route.table}: the names of its columns are adjusted, so that"
                " source.ddl.topic has others.",
                f"Set source.modes.field.name.adjustment to {mode}, then run park replay.",
            )

    def message_key(self, marks: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of the last readable message key."""
        topic, table = self._route.topic, self._route.table
        columns = {
            self._layouts.trace(table, mark, keeps=True)(column.name)[0]
            for mark in marks
            for column in self._layouts.layout(topic, table, mark).shape.columns
        }
        return tuple(map(self._target_name, self._layouts.keys(topic, table, columns)))

    def reading(self, layout: MessageSchema, keys: tuple[str, ...], *, moves: bool) -> TableReading:
        """Return how messages of a schema are read.

        :raises TableError: a key column is missing or masked.
        """
        rules = self._rules.columns
        masks = {column.name: masked_name(column, rules) for column in layout.shape.columns}
        missing = [key for key in keys if key not in masks]
        if missing:
            raise TableError(
                f"{self._route.table} has no column {missing[0]}, which is in its key."
            )
        hidden = [key for key in keys if (name := masks[key]) and rules.mask[name] != HASH]
        if hidden:
            raise TableError(f"{self._route.table}: only hash can mask {hidden[0]}, a key column.")
        columns = {
            column.name: masked_conversion(column, self._config.types, rules)
            for column in layout.shape.columns
        }
        return TableReading(
            keys,
            columns,
            self._config.ordering,
            images=self._rules.history.enabled
            or not keys
            or bool(self._config.ordering.expression),
            named=counts_rows(self._rules, keys),
            moves=moves,
            before=self._rules.history.before,
            events=self._rules.history.enabled or not keys,
            unavailable=rules.unavailable_value if rules.keeps else "",
            gone=frozenset(one.name for one in layout.shape.columns if one.gone).difference(keys),
        )

    def earlier(self) -> EarlierColumns:
        """Return what earlier definitions say of columns, with the names of the target.

        Only casts of columns need the types.
        """
        versions = self._layouts.versions(self._route.table)
        if versions is None:
            return NO_EARLIER
        named, casts = self._target_name, self._config.evolution.conflict == "rewrite"
        return EarlierColumns(
            {named(name): self._default(name, one) for name, one in versions.added.items()},
            {
                named(name): [self._conversion(name, one).target for one in found if is_known(one)]
                for name, found in versions.definitions.items()
                if casts
            },
        )

    def _default(self, name: str, column: Column) -> str | None:
        return fill_value_sql(column, self._conversion(name, column)) if is_known(column) else None

    def _conversion(self, name: str, column: Column) -> ColumnConversion:
        """Return how an earlier definition of a column is read."""
        wire = column.name if column.name != name else ""
        names = self._layouts.source_names(self._route.table, "")(column.name)
        named = replace(column, name=name, wire=wire, source_names=frozenset(names))
        return masked_conversion(named, self._config.types, self._rules.columns)

    def target_renames(self, layout: MessageSchema) -> Mapping[str, str]:
        """Return the new names of columns that only the target has renamed."""
        columns = (one for one in layout.shape.columns if one.wire)
        return {one.wire: one.name for one in columns if self._target_name(one.wire) == one.name}
