"""How the values of a table's messages are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sparksink.config.ordering import Ordering
from sparksink.schemas.spark_types import Mapped

META: Final = ("__seq_hi", "__seq_lo", "__op", "__source_ts")
"""Columns that every mirror row has beside the source's."""

MESSAGE: Final = ("topic", "partition", "offset", "timestamp")
"""Columns of a message that its change keeps, behind two underscores."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the columns of a table are read; ``images`` tells whether deletes keep their values.

    With ``named`` rows get the names ``__row`` and ``__before_row``, made of their values; with
    ``moves`` an update of the key, of which the messages do not know, is a delete as well.
    ``before`` is how the row before a change is kept, ``event_ids`` whether events get names.
    ``unavailable`` is what stands for a value that is not there; where it is empty, nothing does.
    """

    keys: tuple[str, ...]
    columns: Mapping[str, Mapped]
    ordering: Ordering
    images: bool
    named: bool = False
    moves: bool = False
    before: str = "none"
    event_ids: bool = False
    unavailable: str = ""
