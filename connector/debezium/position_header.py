"""The header with the position of each change, by which consumers order changes of any origin.

It holds ``epoch/file/position/row`` of the binlog. Row messages, tombstones and truncates have it;
all messages of one row have the same. Debezium has no such header: it is written if configured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from connector.capture.change import PositionText, RowChanges, Truncated
from connector.data.record import Header, Message, Record
from connector.data.schema import STRING
from connector.debezium.events import EventOptions, moving, numbered_rows
from connector.names import POSITION_HEADER

T = TypeVar("T", Message, Record)


def add_position_headers(
    messages: Iterable[T],
    change: RowChanges | Truncated,
    position_text: PositionText,
    options: EventOptions,
) -> Iterator[T]:
    """Yield the messages, or records, of a change with the header added."""
    remaining = iter(messages)
    each = _count_of_each(messages, change, options)
    for number, count in _counts(change, options) if each is None else _numbers(change, each):
        text = position_text.of_row(number)
        for _ in range(count):
            yield with_position(next(remaining), text)


def _count_of_each(
    messages: Iterable[T], change: RowChanges | Truncated, options: EventOptions
) -> int | None:
    """Return how many messages each row has, if their number says it: the rows stay undecoded."""
    if not isinstance(messages, list) or isinstance(change, Truncated) or options.skips_unchanged:
        return None
    each = 1 + options.tombstones if change.op == "d" else 1
    return each if len(messages) == each * len(change.rows) else None


def _numbers(change: RowChanges | Truncated, each: int) -> Iterator[tuple[int, int]]:
    """Yield for each row its number and the number of messages that all rows have."""
    assert isinstance(change, RowChanges)
    for number in range(len(change.rows)):
        yield 0 if change.first_row is None else change.first_row + number, each


def _counts(change: RowChanges | Truncated, options: EventOptions) -> Iterator[tuple[int, int]]:
    """Yield for each row its number and its number of messages."""
    if isinstance(change, Truncated):
        yield 0, 1
        return
    numbered, moved = change.first_row is not None, moving(change.codec)
    for number, (before, after) in numbered_rows(change, options):
        count = 1
        if before is not None and after is None:
            count += options.tombstones
        elif before is not None and after is not None and moved(before, after):
            count += 1 + options.tombstones
        yield number if numbered else 0, count


def with_position(message: T, text: Any) -> T:
    """Return a message, or record, with the header; a tombstone shares that of its delete."""
    if isinstance(message, Message):
        headers = [*(message.headers or ()), (POSITION_HEADER, text.encode())]
        return message._replace(headers=headers)
    if all(header.name != POSITION_HEADER for header in message.headers):
        message.headers.append(Header(POSITION_HEADER, STRING, text))
    return message
