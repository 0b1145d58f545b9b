"""Names of routed tables: the tables of a topic that has messages of several tables.

A routed table is named ``TOPIC/db.table`` and stands wherever a topic could; topic names have no
slash. Messages that name no table are routed to ``TOPIC/``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LOGICAL_KEY: Final = "__dbz__physicalTableIdentifier"
"""The key field that ByLogicalTableRouter adds: the topic of the message before routing."""


def topic_of(name: str) -> str:
    """Return the topic of a routed table, or the topic itself."""
    return name.partition("/")[0]


def is_table(name: str) -> bool:
    """Return whether the name of a topic or routed table stands for a table."""
    return not name.endswith("/")


def table_name_parts(name: str) -> Sequence[str]:
    """Return the dotted parts of a name, of which the last two are ``db`` and ``table``."""
    return (name.partition("/")[2] or topic_of(name)).split(".")
