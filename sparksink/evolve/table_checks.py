"""Refuses columns, keys and settings that do not fit an existing table."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from sparksink.config.partitioning import Partitioning
from sparksink.errors import TableError


def check_names(table: str, columns: Collection[str], sink_columns: Collection[str]) -> None:
    """Refuse columns of the source that are named like columns of the sink.

    :raises TableError: there are some.
    """
    if reserved := sorted({*sink_columns} & {*columns}):
        names = ", ".join(reserved)
        raise TableError(f"{table} has columns with names that the sink uses itself: {names}.")


def check_not_dropped(table: str, columns: Collection[str]) -> None:
    """Refuse columns that were dropped, and that no known statement has added again.

    :raises TableError: there are some.
    """
    for column in columns:
        raise TableError(
            f"{table}: no definition in source.ddl.topic has added column {column} again, which"
            " was dropped.",
            "Run park replay when the definition has arrived.",
        )


def check_same_keys(table: str, before: str | None, keys: Sequence[str]) -> None:
    """Refuse another key than the one that the table was created with.

    :param before: that key as JSON; None if it is unknown.
    :raises TableError: the key changed.
    """
    if before is not None and before != json.dumps(keys):
        raise TableError(
            f"{table}: the key changed from {before} to {json.dumps(keys)}.",
            "Remove the table, take a new snapshot of it, and run park replay.",
        )


def check_rewritable(table: str, before: str, how: Partitioning) -> None:
    """Refuse to rewrite a table that is partitioned differently from the settings.

    :param before: the partitioning of the table, as text.
    :raises TableError: it is.
    """
    if before != how.text():
        raise TableError(
            f"{table}: target.partition.by and cluster.by differ from its partitioning, so"
            " its columns cannot be cast.",
            "Restore both settings, and run park replay.",
        )


def other_settings(table: str) -> TableError:
    """Return the error for a table that was created with other settings of the mirror."""
    return TableError(
        f"{table} was created with other settings of the mirror.",
        "Restore mirror.scd and mirror.deletes, or remove the table, let the connector take"
        " a new snapshot of it, and run park replay.",
    )
