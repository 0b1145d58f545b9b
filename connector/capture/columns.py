"""How one column becomes a Connect value: its schema, and a conversion for each way in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from connector.capture.tables import Column
from connector.data.schema import Schema

_NAME = re.compile(r"@(\w+)")


@dataclass(frozen=True, slots=True)
class Expression:
    """A conversion as a piece of Python source, to be written into a compiled decoder.

    ``template`` holds ``{}`` where the source of the value goes; ``names`` are the objects that
    the source refers to. Writing it in place saves a call per column and row.
    """

    template: str = "{}"
    names: Mapping[str, Any] = field(default_factory=dict)

    def source(self, value: str, prefix: str, namespace: dict[str, Any]) -> str:
        """Return the source with ``value`` in place, its names made unique by ``prefix``."""

        def unique(match: re.Match[str]) -> str:
            name = f"{prefix}_{match[1]}"
            namespace[name] = self.names[match[1]]
            return name

        return _NAME.sub(unique, self.template).replace("{}", value)

    def then(self, after: Expression | None) -> Expression:
        """Return the conversion followed by another one, which gets None passed by."""
        if after is None:
            return self
        number = len(self.names)  # the other one may use names of this one for objects of its own
        then = _NAME.sub(rf"@\1_{number}", after.template).replace("{}", "value")
        names = {f"{name}_{number}": target for name, target in after.names.items()}
        template = f"(None if (value := {self.template}) is None else {then})"
        return Expression(template, {**self.names, **names})

    def function(self) -> Callable[[Any], Any]:
        """Return the conversion as a function of one value (not None)."""
        namespace: dict[str, Any] = {}
        body = self.source("value", "n", namespace)
        return eval(f"lambda value: {body}", namespace)  # type: ignore[no-any-return]  # noqa: S307 - source written by the type modules, never by input


def call(function: Callable[[Any], Any]) -> Expression:
    """Build the expression that calls a function with the value."""
    return Expression("@f({})", {"f": function})


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
