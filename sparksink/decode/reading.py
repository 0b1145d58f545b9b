"""Settings for reading the messages of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from sparksink.config.ordering import Ordering
from sparksink.schemas.spark_types import ColumnConversion
from sparksink.sql import quote_name

META: Final = ("__seq_hi", "__seq_lo", "__op", "__source_ts")
"""The sink's columns of every mirror row."""

MESSAGE: Final = ("topic", "partition", "offset", "timestamp")
"""Columns of a message that its change keeps, with the prefix ``__``."""

GONE: Final = "gone"
"""Metadata key of a column that no longer exists: only tables that keep the past use it."""


@dataclass(frozen=True, slots=True)
class TableReading:
    """How the columns of a table are read; with ``images`` deletes keep their values.

    With ``named`` changes get hashes of their rows (``__row_name``, ``__before_name``); with
    ``moves`` an update of a key that the messages do not know is split into delete and create.
    ``before`` is how the row before a change is kept, ``events`` whether event metadata is read.
    ``unavailable`` is the placeholder of unavailable values, empty without one. ``gone`` are
    columns that no longer exist. With ``written`` parsed values have the names of the messages, as
    in Avro.
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
        """Return SQL of a column in a parsed row, which is itself SQL."""
        member = self.columns[name].member if self.written else ""
        return f"{image}.{quote_name(member or name)}"

    @property
    def as_written(self) -> TableReading:
        """The same with the column names of the messages."""
        names = {name: one.member or name for name, one in self.columns.items()}
        columns = {names[name]: one for name, one in self.columns.items()}
        return replace(self, keys=tuple(names[key] for key in self.keys), columns=columns)
