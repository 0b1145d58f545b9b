"""Refuses binlog positions that went back, as they then order changes wrongly."""

from __future__ import annotations

from sparksink.apply.batch_measures import BatchMeasures
from sparksink.config.ordering import Ordering
from sparksink.errors import TableError
from sparksink.state.table_result import TableResult


def check_positions(
    table: str, seen: BatchMeasures, last: TableResult | None, ordering: Ordering
) -> None:
    """Refuse positions that went back while time advanced: they belong to another binlog.

    :raises TableError: positions went back.
    """
    if ordering.mode != "binlog":
        return
    if ordering.on_position_regression == "ignore" or last is None:
        return
    if not (seen.streamed and seen.first_ts and last.highest and last.source_ts):
        return
    if seen.streamed < last.highest and seen.first_ts > last.source_ts:
        raise TableError(
            f"{table}: binlog positions went back while time advanced: the source is"
            " another server, or its binlog was reset.",
            "Write position headers and set ordering.epoch=header, or start with new tables,"
            " or set ordering.on.position.regression=ignore.",
        )
