"""What applying a DDL text signals, in the order in which it happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from connector.capture.tables import TableId

EventKind = Literal[
    "CREATE_TABLE",
    "ALTER_TABLE",
    "DROP_TABLE",
    "TRUNCATE_TABLE",
    "CREATE_INDEX",
    "CREATE_DATABASE",
    "DROP_DATABASE",
    "USE_DATABASE",
    "SET_VARIABLE",
]


@dataclass(frozen=True, slots=True)
class DdlEvent:
    """One thing that a statement did.

    ``statement`` is the text recorded for it, ``database`` the database that it belongs to.
    ``previous`` is the name of a table before RENAME TABLE. ``origin`` is the table that it was:
    before any kind of renaming, or the one that a CREATE … LIKE copies. ``order`` counts the
    variables of one SET.
    """

    kind: EventKind
    statement: str
    database: str
    table: TableId | None = None
    previous: TableId | None = None
    origin: TableId | None = None
    order: int = 0
