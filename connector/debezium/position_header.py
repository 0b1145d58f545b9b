"""The place of each change in a header, for consumers that put changes of any origin in order.

``epoch/file/position/row`` of the binlog. Row messages, tombstones and truncates have it; it is
the same for all that one row makes. A header of ours, written only if asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from connector.capture.change import Place, RowChanges, Truncated
from connector.data.record import Header, Message, Record
from connector.data.schema import STRING
from connector.debezium.events import EventOptions, moving, numbered_rows

POSITION_HEADER: Final = "millrace.position"

T = TypeVar("T", Message, Record)


def placed(
    made: Iterable[T], change: RowChanges | Truncated, place: Place, options: EventOptions
) -> Iterator[T]:
    """Yield what was made of a change, in its order, with the header added."""
    left = iter(made)
    for number, count in _counts(change, options):
        text = f"{place[0]}{number}{place[1]}"
        for _ in range(count):
            yield _with_header(next(left), text)


def _counts(change: RowChanges | Truncated, options: EventOptions) -> Iterator[tuple[int, int]]:
    """Yield for each row its number and how many messages it makes."""
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


def _with_header(made: T, text: str) -> T:
    if isinstance(made, Message):
        return made._replace(headers=[*(made.headers or ()), (POSITION_HEADER, text.encode())])
    made.headers.append(Header(POSITION_HEADER, STRING, text))
    return made
