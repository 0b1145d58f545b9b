"""Groups changes of few rows, whose messages are sent together.

A transaction of one row costs as much to hand over to the producer as one of a hundred. While a
backlog is read, the changes of many small transactions come from one read of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from connector.capture.change import Change, RowChanges

RowGroup = list[RowChanges]
"""Changes of rows that follow each other."""

_ROWS: Final = 64  # more rows cost more than to hand them over


def group_rows(changes: Iterable[Change]) -> Iterator[RowGroup | Change]:
    """Yield changes of rows in groups, and all other changes by themselves; the order stays.

    Every other change ends a group, and so does an error: what comes before it is yielded first. A
    source yields its progress after each batch of the log, so a group never waits for the database.
    """
    group: RowGroup = []
    rows = 0
    try:
        for change in changes:
            if isinstance(change, RowChanges):
                group.append(change)
                rows += len(change.rows)
                if rows < _ROWS:
                    continue
                yield group
            else:
                if group:
                    yield group
                yield change
            group, rows = [], 0
    except Exception:
        if group:
            yield group
        raise
    if group:
        yield group
