"""How the values of a table's messages are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from sparksink.config.ordering import Ordering
from sparksink.schemas.spark_types import ColumnConversion
from sparksink.sql import quote_name

META: Final = ("__seq_hi", "__seq_lo", "__op", "__source_ts")
"""Columns that every mirror row has beside the source's."""

MESSAGE: Final = ("topic", "partition", "offset", "timestamp")
"""Columns of a message that its change keeps, behind two underscores."""

GONE: Final = "gone"
"""Marks a column that the table does not have any more: only what keeps the past takes it."""


@dataclass(frozen=True, slots=True)
class TableReading:
    """How the columns of a table are read; ``images`` tells whether deletes keep their values.

    With ``named`` rows get the names ``__row_name`` and ``__before_name``, made of their values;
    with ``moves`` an update of the key, of which the messages do not know, is a delete as well.
    ``before`` is how the row before a change is kept, ``events`` whether that of which a history
    tells besides is read. ``unavailable`` is what stands for a value that is not there; where it is
    empty, nothing does. ``gone`` are columns that the table does not have any more. With
    ``written`` parsed values have the names of their messages, as Avro's do.
    """

    keys: tuple[str, ...]
    columns: Mapping[str, ColumnConversion]
    ordering: Ordering
    images: bool
    named: bool = False
    moves: bool = False
    before: str = "none"
    events: bool = False
    unavailable: str = ""
    gone: frozenset[str] = frozenset()
    written: bool = False

    def value(self, image: str, name: str) -> str:
        """Return SQL of a column in a parsed row, which is SQL itself."""
        member = self.columns[name].member if self.written else ""
        return f"{image}.{quote_name(member or name)}"

    @property
    def as_written(self) -> TableReading:
        """The same with the names that columns have in messages, where those are other ones."""
        names = {name: one.member or name for name, one in self.columns.items()}
        columns = {names[name]: one for name, one in self.columns.items()}
        return replace(self, keys=tuple(names[key] for key in self.keys), columns=columns)
