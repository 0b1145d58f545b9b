"""The schema of a table's events, built once per version of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Table
from connector.data.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class TableEventSchema:
    """The schema of the events of one table version. Each version has an object of its own.

    ``hides_values``: some columns are masked, so statements with values must be hidden too.
    ``derived`` are slots that are computed from others: (slot, source slot, function).

    A row is a tuple with a slot for each of ``columns``: first the fields of
    ``value_schema``, in order, then columns that only the key needs. ``key_slots`` picks the
    first fields of ``key_schema`` from it; ``key_constants`` are the values of the others.
    """

    table: Table
    topic: str
    key_schema: Schema | None
    value_schema: Schema
    envelope_schema: Schema
    columns: tuple[ColumnCodec, ...]
    key_slots: tuple[int, ...]
    key_constants: tuple[Any, ...] = ()
    hides_values: bool = False
    derived: tuple[tuple[int, int, Callable[[Any], Any]], ...] = ()

    def with_derived(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a row with its derived slots filled."""
        values = list(row)
        for slot, source, derive in self.derived:
            values[slot] = derive(row[source])
        return tuple(values)

    def value_struct(self, row: tuple[Any, ...] | None) -> dict[str, Any] | None:
        """Return a row as the struct of ``value_schema``."""
        if row is None:
            return None
        return {field.name: row[slot] for slot, field in enumerate(self.value_schema.fields)}

    def key_struct(self, row: tuple[Any, ...]) -> dict[str, Any] | None:
        """Return the key of a row as the struct of ``key_schema``."""
        if self.key_schema is None:
            return None
        values = (*(row[slot] for slot in self.key_slots), *self.key_constants)
        names = (field.name for field in self.key_schema.fields)
        return dict(zip(names, values, strict=True))
