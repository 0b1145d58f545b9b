"""What the earlier definitions of a table say of the columns of its targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class EarlierColumns:
    """Defaults and types of columns from before the newest definition.

    ``defaults`` has each added column, and SQL of the value that rows got when it was added, None
    for NULL. ``types`` are the types of all definitions of a column.
    """

    defaults: Mapping[str, str | None] = field(default_factory=dict)
    types: Mapping[str, Sequence[str]] = field(default_factory=dict)


NO_EARLIER: Final = EarlierColumns()
