"""Groups changes of few rows, whose messages are sent together.

A transaction of one row costs as much to hand over to the producer as one of a hundred. While a
backlog is read, the changes of many small transactions come from one read of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeGuard

from connector.capture.change import Change, EventBatch, RowChanges
from connector.data.record import Message, WriteBatch

RowGroup = list[RowChanges]
"""Changes of rows that follow each other."""

_CHANGES: Final = 64  # of a group
_FEW_ROWS: Final = 8  # more rows cost more than to hand them over


def group_rows(changes: Iterable[Change]) -> Iterator[RowGroup | Change]:
    """Yield changes of rows in groups, unless they are batches; all else by itself, in order.

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


def write_group(
    group: RowGroup,
    write: Callable[[RowChanges], Iterable[Message]],
    parts: list[Iterable[Message]],
) -> None:
    """Add the messages of each change to ``parts``; those before a change that fails are there.

    The messages of a change that an iterator makes are made before those of the next change.
    """
    for change in group:
        messages = write(change)
        _add(messages, parts, now=len(group) > 1)


def write_batch(
    batch: EventBatch,
    write_natively: WriteBatch | None,
    write: Callable[[RowChanges], Iterable[Message]],
    parts: list[Iterable[Message]],
) -> None:
    """Add the messages of all events to ``parts``; those before an event that fails are there.

    :param write_natively: writes as many events as it can; None if ``write`` has to write each.
    """
    number, count = 0, len(batch.events)
    while number < count:
        if write_natively is not None:
            messages, number = write_natively(number)
            parts.append(messages)
        if number < count:
            _add(write(batch.change(number)), parts, now=count > 1)
            number += 1


def _add(messages: Iterable[Message], parts: list[Iterable[Message]], *, now: bool) -> None:
    """Add messages; if an iterator makes them, it may do so ``now``, or when they are sent."""
    if now and isinstance(messages, Iterator):
        parts.append(made := list[Message]())
        made.extend(messages)
    else:
        parts.append(messages)
