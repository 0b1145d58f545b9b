"""From the ``snapshot…`` keys to how a snapshot works."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from connector.capture.custom_snapshots import custom_lock, custom_query
from connector.config import settings_below
from connector.mysql.options import CaptureOptions
from connector.mysql.snapshot.snapshot_parts import SnapshotOptions
from connector.mysql.snapshot.table_choice import table_order
from connector.mysql.snapshot.table_chunks import ChunkPlanner

log = logging.getLogger(__name__)


def snapshot_options(
    values: Mapping[str, Any], config: Mapping[str, str], capture: CaptureOptions
) -> SnapshotOptions:
    """Read how a snapshot works from parsed values."""
    included = values["snapshot.include.collection.list"]
    return SnapshotOptions(
        locking=values["snapshot.locking.mode"].lower(),
        lock_timeout=values["snapshot.lock.timeout.ms"] / 1000,
        table_order=table_order(config.get("table.include.list")),
        included=",".join(included) if included else None,
        selects=capture.selects,
        row_count_order=values["snapshot.tables.order.by.row.count"].lower(),
        lock=custom_lock(config),
        query=custom_query(config),
        position_headers=capture.position_headers,
        threads=values["snapshot.max.threads"],
        planner=_planner(values, config),
        fetch_size=values["snapshot.fetch.size"] or 0,
    )


def _planner(values: Mapping[str, Any], config: Mapping[str, str]) -> ChunkPlanner | None:
    """Return what splits the tables of a snapshot; None if sessions read whole tables."""
    key = "snapshot.max.threads.multiplier"
    threads = values["snapshot.max.threads"]
    multiplier = values["snapshot.max.threads.multiplier"]
    by_table = {}
    for name, text in settings_below(config, key + ".").items():
        if text.strip().isdigit() and int(text):
            by_table[name] = int(text)
        else:
            log.warning("%s.%s is not a positive number: %d is used", key, name, multiplier)
    legacy = values["legacy.snapshot.max.threads"]
    legacy = legacy or values["internal.legacy.snapshot.max.threads"]
    if legacy or max(threads, multiplier, *by_table.values()) == 1:
        return None
    return ChunkPlanner(threads, lambda table: by_table.get(str(table), multiplier))
