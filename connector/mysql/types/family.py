"""The description of a family of column types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from connector.capture.columns import Selected
from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import Schema
from connector.mysql.types.fields import FromLog
from connector.mysql.types.type_options import TypeOptions


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The schema of a column's values and the conversions to them.

    ``schema`` is without default, optionality and documentation. ``from_text`` takes the bytes
    of a text result set, ``from_literal`` the literal of a DEFAULT clause. Where
    ``may_be_absent`` a conversion can give None (a zero date); ``fallback`` is what a column
    that cannot be null has then. ``select`` is the expression for it in a SELECT, if not its name.
    """

    schema: Schema
    from_text: Expression
    from_log: FromLog
    from_literal: Callable[[str], Any]
    fallback: Any = None
    may_be_absent: bool = False
    select: Selected | None = None


Family = Callable[[Column, TypeOptions], ColumnType | None]
