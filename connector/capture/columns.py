"""How one column becomes a Connect value: its schema, and a conversion for each way in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import Schema


@dataclass(frozen=True, slots=True)
class Selected:
    """A column in a SELECT that is written here, where its plain text would not tell all.

    ``sql`` has ``{}`` for the quoted name; ``from_text`` takes the bytes that come of it.
    """

    sql: str
    from_text: Expression


@dataclass(frozen=True, slots=True)
class ColumnCodec:
    """A column's schema and conversions.

    ``from_text`` takes the bytes of a text result set or the str of a DDL literal;
    ``from_log`` belongs to the database: it tells how to read the column from a row image.
    ``absent`` stands for NULL in a column that cannot be null in the events; ``unavailable``
    for a value that the database did not put into the log.
    ``after`` wraps the finished value of both ways (mask, truncate, hash). ``select`` is for
    SELECTs that are written here; in those of users the column is plain text.
    """

    column: Column
    schema: Schema
    from_text: Expression
    from_log: Any
    absent: Any = None
    unavailable: Any = None
    after: Expression | None = None
    select: Selected | None = None

    def but(self, **changes: Any) -> ColumnCodec:
        """Return a copy with some attributes changed; another ``from_text`` is for any SELECT."""
        if "from_text" in changes:
            changes.setdefault("select", None)
        return replace(self, **changes)

    def sql(self, name: str) -> str:
        """Return what a SELECT asks for, by the column's quoted name."""
        return self.select.sql.replace("{}", name) if self.select else name

    def selected(self) -> ColumnCodec:
        """Return how the result of `sql` is read."""
        return self.but(from_text=self.select.from_text) if self.select else self
