"""The tables of topics that hold several: each of them is a lane of its topic.

A lane stands in place of the topic, as ``TOPIC/db.table``; no topic has a slash in its name. What
tells of no table is in the lane ``TOPIC/``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LOGICAL_KEY: Final = "__dbz__physicalTableIdentifier"
"""The member that ByLogicalTableRouter adds to keys: the topic that a message would have had."""


def topic_of(lane: str) -> str:
    """Return the topic of a lane."""
    return lane.partition("/")[0]


def is_table(lane: str) -> bool:
    """Return whether messages of a lane, or of a topic, are of a table."""
    return not lane.endswith("/")


def table_name_parts(lane: str) -> Sequence[str]:
    """Return the words of which the last two are ``db`` and ``table``."""
    return (lane.partition("/")[2] or topic_of(lane)).split(".")
