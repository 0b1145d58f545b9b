"""The shape of a table's events, decided once per version of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Table
from connector.data.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class RowCodec:
    """What a row of this table version becomes. Identity stands for the version.

    A row travels as a tuple with a slot for each of ``columns``: first the fields of
    ``value_schema``, in order, then columns that only the key needs. ``key_slots`` picks the
    fields of ``key_schema`` from it.
    """

    table: Table
    topic: str
    key_schema: Schema | None
    value_schema: Schema
    envelope_schema: Schema
    columns: tuple[ColumnCodec, ...]
    key_slots: tuple[int, ...]

    def value_struct(self, row: tuple[Any, ...] | None) -> dict[str, Any] | None:
        """Return a row as the struct of ``value_schema``."""
        if row is None:
            return None
        return {field.name: row[slot] for slot, field in enumerate(self.value_schema.fields)}

    def key_struct(self, row: tuple[Any, ...]) -> dict[str, Any] | None:
        """Return the key of a row as the struct of ``key_schema``."""
        if self.key_schema is None:
            return None
        fields = self.key_schema.fields
        return {field.name: row[slot] for field, slot in zip(fields, self.key_slots, strict=True)}
