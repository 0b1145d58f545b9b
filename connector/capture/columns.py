"""How a column becomes a Connect value: its schema, and conversions from text and from the log."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import Schema


@dataclass(frozen=True, slots=True)
class Selected:
    """A column in a generated SELECT, if its plain text would lose information.

    ``sql`` has ``{}`` for the quoted name; ``from_text`` takes the bytes of the result.
    """

    sql: str
    from_text: Expression


@dataclass(frozen=True, slots=True)
class ColumnCodec:
    """A column's schema and conversions.

    ``from_text`` takes the bytes of a text result set or the str of a DDL literal;
    ``from_log`` belongs to the database: it describes how to read the column from a row image.
    ``absent`` replaces NULL in a column that cannot be null in the events; ``unavailable`` replaces
    a value that the database did not write to the log. ``after`` converts the finished value from
    either origin (mask, truncate, hash). ``select`` is for generated SELECTs; in those of users the
    column is plain text.
    """

    column: Column
    schema: Schema
    from_text: Expression
    from_log: Any
    absent: Any = None
    unavailable: Any = None
    after: Expression | None = None
    select: Selected | None = None

    def with_changes(self, **changes: Any) -> ColumnCodec:
        """Return a copy with some attributes changed; another ``from_text`` is for any SELECT."""
        if "from_text" in changes:
            changes.setdefault("select", None)
        return replace(self, **changes)

    def sql(self, name: str) -> str:
        """Return the expression of a SELECT for the column, by its quoted name."""
        return self.select.sql.replace("{}", name) if self.select else name

    def as_selected(self) -> ColumnCodec:
        """Return the codec that reads the result of `sql`."""
        return self.with_changes(from_text=self.select.from_text) if self.select else self
