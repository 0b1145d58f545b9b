"""Reads the rows of a SELECT for the native core, which writes them without Python's values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from connector.capture.change import Row
from connector.capture.tables import Column
from connector.codegen import Expression
from connector.mysql.session.connection import RowStream
from connector.mysql.session.text_rows import NOT_OF_THE_TYPE, TextRows, is_end, wrong_type
from connector.mysql.session.wire import join_payload, payload_end
from connector.mysql.types.native_columns import text_column
from connector.native import MAX_BUFFER, NativePairs, RowProgram, Rows, part_of, row_program

Batch = list[Row] | Rows
_NOT_READ = Expression()


def read_natively(rows: TextRows, stream: RowStream) -> Iterator[Batch]:
    """Yield the rows as they come; in Python what the core does not read."""
    return read_batches(rows, stream, text_program(rows))


def split_batches(batches: Iterator[Batch], most: int) -> Iterator[Batch]:
    """Yield the same rows in batches of at most ``most`` rows."""
    for batch in batches:
        for start in range(0, len(batch), most):
            yield part_of(batch, start, start + most)


def read_batches(rows: TextRows, stream: RowStream, program: RowProgram | None) -> Iterator[Batch]:
    """Yield the rows as they come.

    :param program: that of the same rows; without one Python reads all of them.
    """
    if program is None:
        yield from rows.read(stream)
        return
    data, needed = b"", 0
    while True:
        pending = [data]
        size = len(data)
        while size < needed or len(pending) == 1:
            pending.append(stream.read())
            size += len(pending[-1])
        data = b"".join(pending)
        pending.clear()  # a row may have many megabytes
        used = 0
        while True:
            batch, used = _read_batch(program, rows, data, used)
            if batch:
                yield batch
            end = payload_end(data, used)
            if end > len(data):
                break
            body = join_payload(data, used, end)
            used = end
            if is_end(body):
                return
            yield [rows.decode(body)]
        data, needed = data[used:], end - used


def _read_batch(program: RowProgram, rows: TextRows, data: bytes, start: int) -> tuple[Batch, int]:
    """Read the complete packets from an offset on; return the rows with the offset behind them."""
    if len(data) <= MAX_BUFFER:
        return program.text_rows(data, start)
    batch: list[Row] = []
    return batch, rows.scan(data, start, len(data), batch.append)


def _wrap_errors(convert: Callable[[Any], Any], column: Column) -> Callable[[Any], Any]:
    """Return a conversion that fails as `TextRows.decode` does."""

    def checked(value: Any) -> Any:
        try:
            return convert(value)
        except NOT_OF_THE_TYPE:
            raise wrong_type(column) from None

    return checked


def text_program(
    rows: TextRows, width: int | None = None, *, is_checked: bool = False
) -> RowProgram | None:
    """Return the program for a result that has each column once; None if Python reads it.

    :param width: how many slots the rows that Python sees have; the core has the values of all.
    :param is_checked: values that are not of their types are found when they are read.
    """
    filled = [slot for slot in rows.slots if slot is not None]
    if sorted(filled) != list(range(len(rows.columns))):
        return None
    columns = []
    for slot in rows.slots:
        if slot is None:
            columns.append(text_column(_NOT_READ, None))
            continue
        codec = rows.columns[slot]
        column = text_column(codec.from_text.then(codec.after), slot)
        columns.append((*column[:5], _wrap_errors(column[5], codec.column)))

    def decode(_: str, data: bytes, start: int, end: int) -> NativePairs:
        return [(None, row[:width]) for row in rows.decode_all(data, start, end)]

    slots = len(rows.columns)
    return row_program(columns, slots, decode, is_text=True, is_checked=is_checked)
