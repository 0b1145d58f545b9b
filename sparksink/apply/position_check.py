"""Refuses positions that went back, as they then order changes wrongly.

A connector writes each partition in the order of the binlog. A change behind an earlier message is
one of two things: it is redelivered, or it belongs to another binlog. A redelivered change was in
its partition before, so its time is not later than all times before it. Times and positions may
disagree, as the time of a change is that of its statement, so no two changes alone are compared.

Offsets of Kafka, the positions of ordering.mode=kafka, go back if the topic was created again. If
the same messages are read again, their times are not later than what was read before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sparksink.apply.batch_measures import BatchMeasures
from sparksink.apply.partition_measures import MeasuredChange, PartitionMeasures
from sparksink.config.ordering import Ordering
from sparksink.errors import TableError
from sparksink.state.table_result import PartitionEnd

_REMEDY: Final = (
    "Take a new snapshot, and read the topic from there with a new target.path and checkpoint"
    " (source.starting.offsets)."
)


def checks_positions(ordering: Ordering) -> bool:
    """Return whether positions that go back are refused."""
    return not ordering.expression and ordering.on_position_regression == "fail"


def check_positions(table: str, seen: BatchMeasures, before: Mapping[int, PartitionEnd]) -> None:
    """Refuse positions that went back while time advanced: they belong to another log.

    :param before: the ends of the partitions after earlier batches.
    :raises TableError: positions went back.
    """
    for partition, measures in sorted(seen.partitions.items()):
        change = change_of_another_log(measures, before.get(partition))
        if change is not None:
            where = f"in partition {partition} at offset {change.offset}"
            raise TableError(f"{table}: {_why(change, where)}", _REMEDY + _prevention(change))


def _why(change: MeasuredChange, where: str) -> str:
    if not change.position.hi:
        return (
            f"offsets went back while time advanced, {where}: the topic was created again, so its"
            " changes would lose against older ones."
        )
    return (
        f"binlog positions went back while time advanced, {where}: the source is another server, or"
        " its binlog was reset, so its changes would lose against older ones."
    )


def _prevention(change: MeasuredChange) -> str:
    if not change.position.hi:
        return ""
    return " Position headers with ordering.epoch=header avoid this."


def change_of_another_log(
    seen: PartitionMeasures, before: PartitionEnd | None
) -> MeasuredChange | None:
    """Return a change that is behind an earlier one although it is not redelivered.

    Both candidates are the first message with their position in this batch.
    """
    for change in filter(None, (seen.lowest, seen.latest)):
        earlier = [one for one in (seen.first, seen.highest) if one.offset < change.offset]
        times = [one.at for one in earlier] + ([before.at] if before else [])
        positions = [one.position for one in earlier] + ([before.highest] if before else [])
        if positions and change.position <= max(positions) and change.at > max(times):
            return change
    return None
