"""Groups changes of few rows, whose messages are sent together.

A transaction of one row costs as much to hand over to the producer as one of a hundred. While a
backlog is read, the changes of many small transactions come from one read of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Protocol, TypeGuard

from connector.capture.change import Change, RowChanges
from connector.data.record import Message

RowGroup = list[RowChanges]
"""Changes of rows that follow each other."""

_CHANGES: Final = 64  # of a group
_FEW_ROWS: Final = 8  # more rows cost more than to hand them over


def group_rows(changes: Iterable[Change]) -> Iterator[RowGroup | Change]:
    """Yield changes of rows in groups, and all other changes by themselves; the order stays.

    A group has changes of the log with few rows each, or one other change of rows: a snapshot may
    wait long for its next rows. A source of the log yields its progress after each batch of it, so
    a group does not wait for the log. An error ends a group, too: it is yielded first.
    """
    group: RowGroup = []
    try:
        for change in changes:
            if _is_small(change):
                group.append(change)
                if len(group) == _CHANGES:
                    yield group
                    group = []
                continue
            if group:
                yield group
                group = []
            yield [change] if isinstance(change, RowChanges) else change
    except Exception:
        if group:
            yield group
        raise
    if group:
        yield group


def _is_small(change: Change) -> TypeGuard[RowChanges]:
    return isinstance(change, RowChanges) and change.op != "r" and len(change.rows) <= _FEW_ROWS


class WritesRows(Protocol):
    """Writes changes of rows as messages."""

    def messages(self, change: RowChanges, /) -> Iterable[Message]:
        """Return the messages of a change."""

    def batch(self, changes: Sequence[RowChanges], /) -> Sequence[Message] | None:
        """Return those of changes of one table version and operation; None: one by one."""


def write_group(group: RowGroup, writer: WritesRows, parts: list[Iterable[Message]]) -> None:
    """Add the messages of all changes to ``parts``; those before a change that fails are there.

    The messages of a change that an iterator makes are made before those of the next change.
    """
    for _, part in groupby(group, _kind):
        changes = list(part)
        batch = writer.batch(changes) if len(changes) > 1 else None
        if batch is not None:
            parts.append(batch)
            continue
        for change in changes:
            messages = writer.messages(change)
            if len(group) > 1 and isinstance(messages, Iterator):
                parts.append(made := list[Message]())
                made.extend(messages)
            else:
                parts.append(messages)


def _kind(change: RowChanges) -> tuple[int, str]:
    return id(change.codec), change.op
