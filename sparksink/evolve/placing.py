"""How a table was asked to lie in its files, and how it does: that is for good."""

from __future__ import annotations

import logging
from collections.abc import Container

from sparksink.config.partitioning import Partitioning
from sparksink.errors import TableError

log = logging.getLogger(__name__)


def check(name: str, how: Partitioning, columns: Container[str]) -> None:
    """Make sure that a table has the columns that it is to lie by.

    :raises TableError: it has not.
    """
    missing = [one for one in how.columns if one not in columns]
    if missing:
        raise TableError(
            f"{name} has no column {missing[0]} to partition or cluster it by.",
            "Name columns of this table in an entry of tables, and run park replay.",
        )


def tell(name: str, made: str, how: Partitioning) -> None:
    """Say that a table stays as it was made, where the configuration says something else."""
    if made != how.text():
        log.warning("%s keeps %s", name, made or "its rows without partitions")
