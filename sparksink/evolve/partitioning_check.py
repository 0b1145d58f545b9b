"""Checks the partitioning of a table, which is fixed when the table is created."""

from __future__ import annotations

import logging
from collections.abc import Container

from sparksink.config.partitioning import Partitioning
from sparksink.errors import TableError

log = logging.getLogger(__name__)


def check_columns(name: str, how: Partitioning, columns: Container[str]) -> None:
    """Check that a table has the columns of its partitioning.

    :raises TableError: a column is missing.
    """
    missing = [one for one in how.columns if one not in columns]
    if missing:
        raise TableError(
            f"{name} has no column {missing[0]}, which partition.by or cluster.by names.",
            "Name columns of this table in an entry of tables, and run park replay.",
        )


def warn_if_unchanged(name: str, made: str, how: Partitioning) -> None:
    """Log that a table keeps its partitioning although the configuration has another one."""
    if made != how.text():
        log.warning("%s keeps its partitioning: %s", name, made or "none")
