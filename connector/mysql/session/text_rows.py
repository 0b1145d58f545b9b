"""Rows of a text result set: a scanner compiled for the columns of a SELECT.

A row is a packet of length-encoded strings. The scanner takes what the socket gave, decodes all
whole rows in it and says where it stopped: at the end, or before a packet that is decoded by
itself. For an int and a varchar it looks like this::

    def rows(d, p, size, append):
        try:
            while size - p > 4:
                first = p
                n = d[p] | d[p + 1] << 8 | d[p + 2] << 16
                end = p + 4 + n
                if end > size or n == 0xFFFFFF:
                    break
                p += 4
                if d[p] > 253 and (d[p] == 255 or n < 9):
                    return first
                n = d[p]
                if n < 251:
                    v0 = int(d[p + 1 : p + 1 + n])
                    p += 1 + n
                else:
                    v0, p = rare0(d, p)
                ...
                if p != end:
                    return first
                append((v0, v1))
                p = end
        except Exception:
            return first
        return p
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from connector.capture.change import Row
from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column
from connector.codegen import compile_function
from connector.errors import ConversionError
from connector.mysql.session.connection import RowStream
from connector.mysql.session.server_errors import statement_error
from connector.mysql.session.wire import (
    ERROR,
    FULL_PACKET,
    join_payload,
    length_encoded,
    payload_end,
    read_error,
)

# What converters raise at a text that is not of their type: the table was altered meanwhile.
NOT_OF_THE_TYPE = (ArithmeticError, LookupError, TypeError, ValueError, struct.error)
_END = b"\xfe"
_NULL = 251

Scanner = Callable[[bytes, int, int, Callable[[Row], None]], int]


class TextRows:
    """Decodes the rows of a SELECT to a value for each of ``columns``.

    ``found`` are the columns that the result has, when a user wrote the SELECT: in any order,
    some missing (they are NULL), some not requested; ``slots`` are the numbers of ``columns`` that
    they fill. ``scan`` decodes complete packets up to one that is rare.
    """

    def __init__(self, columns: Sequence[ColumnCodec], found: Sequence[str] | None = None) -> None:
        slots = {codec.column.name.lower(): slot for slot, codec in enumerate(columns)}
        names = [codec.column.name for codec in columns] if found is None else found
        self.columns = columns
        self.slots = [slots.get(name.lower()) for name in names]
        self._nulls = [codec.absent for codec in columns]
        self._readers = [_rare(None if slot is None else columns[slot]) for slot in self.slots]
        self.scan = _compile(columns, self.slots)

    def read(self, stream: RowStream) -> Iterator[list[Row]]:
        """Yield the rows as they come from the server; return at the end of the result."""
        pending: list[bytes] = []
        size = needed = 0
        while True:
            chunk = stream.read()
            pending.append(chunk)
            size += len(chunk)
            if size < needed:
                continue
            data = pending[0] if len(pending) == 1 else b"".join(pending)
            rows: list[Row] = []
            used = self.scan(data, 0, len(data), rows.append)
            while True:
                end = payload_end(data, used)
                if end > len(data):
                    needed = end - used
                    break
                body = join_payload(data, used, end)
                used = end
                if is_end(body):
                    yield rows
                    return
                rows.append(self.decode(body))
                used = self.scan(data, used, len(data), rows.append)
            yield rows
            pending = [data[used:]]
            size = len(data) - used

    def decode(self, packet: bytes) -> Row:
        """Decode a row that the scanner left: one of several packets, or one that is no row.

        :raises ConversionError: its columns do not fill it, or a value does not have their type.
        """
        values = self._nulls.copy()
        offset = 0
        for read, slot in zip(self._readers, self.slots, strict=True):
            if offset >= len(packet):
                raise _short_row()
            try:
                value, offset = read(packet, offset)
            except NOT_OF_THE_TYPE:  # the error has the value in its text
                raise wrong_type(None if slot is None else self.columns[slot].column) from None
            if slot is not None:
                values[slot] = value
        if offset != len(packet):
            raise _short_row()
        return tuple(values)

    def decode_all(self, data: bytes, start: int, end: int) -> list[Row]:
        """Decode the rows between two offsets, which are whole."""
        rows: list[Row] = []
        used = self.scan(data, start, end, rows.append)
        while used < end:
            after = payload_end(data, used)
            rows.append(self.decode(join_payload(data, used, after)))
            used = self.scan(data, after, end, rows.append)
        return rows


def is_end(body: bytes) -> bool:
    """Whether a packet ends the result.

    :raises MillraceError: it is an error of the server, with its decision.
    """
    if body[:1] == ERROR:
        raise statement_error(read_error(body))
    return body[:1] == _END and len(body) < 9


def _compile(columns: Sequence[ColumnCodec], slots: Sequence[int | None]) -> Scanner:
    """Write the scanner of a result whose columns fill these slots."""
    names: dict[str, Any] = {"skip": _rare(None)}
    missing = [slot for slot in range(len(columns)) if slot not in slots]
    names |= {f"null{slot}": columns[slot].absent for slot in missing}
    lines = [
        "def rows(d, p, size, append):",
        "    first = p",
        *(f"    v{slot} = null{slot}" for slot in missing),
        "    try:",
        "        while size - p > 4:",
        "            first = p",
        "            n = d[p] | d[p + 1] << 8 | d[p + 2] << 16",
        "            end = p + 4 + n",
        f"            if end > size or n == {FULL_PACKET}:",
        "                break",
        "            p += 4",
        "            if d[p] > 253 and (d[p] == 255 or n < 9):",
        "                return first",
    ]
    for slot in slots:
        lines += ["            n = d[p]", f"            if n < {_NULL}:"]
        if slot is None:
            lines += ["                p += 1 + n", "            else:"]
            lines.append("                _, p = skip(d, p)")
            continue
        convert = columns[slot].from_text.then(columns[slot].after)
        names[f"rare{slot}"] = _rare(columns[slot])
        lines += [
            f"                v{slot} = {convert.source('d[p + 1:p + 1 + n]', f'c{slot}', names)}",
            "                p += 1 + n",
            "            else:",
            f"                v{slot}, p = rare{slot}(d, p)",
        ]
    values = "".join(f"v{number}, " for number in range(len(columns)))
    lines += ["            if p != end:", "                return first"]
    lines += [f"            append(({values}))", "            p = end"]
    # What fails fails again when the packet is decoded by itself.
    lines += ["    except Exception:", "        return first", "    return p"]
    return compile_function(lines, names)


def _rare(codec: ColumnCodec | None) -> Callable[[bytes, int], tuple[Any, int]]:
    """Return a function that reads a NULL or long value; without a codec it skips the value."""
    convert = codec.from_text.then(codec.after).function() if codec else _nothing
    absent = codec.absent if codec else None

    def read(data: bytes, offset: int) -> tuple[Any, int]:
        if data[offset] == _NULL:
            return absent, offset + 1
        if data[offset] == ERROR[0]:
            raise _short_row()
        length, start = length_encoded(data, offset)
        end = start + length
        if end > len(data):
            raise _short_row()
        return convert(data[start:end]), end

    return read


def _short_row() -> ConversionError:
    return ConversionError("a row of the snapshot does not fill its packet with its columns")


def wrong_type(column: Column | None) -> ConversionError:
    """Return the error for a value that cannot be converted; its text does not show the value."""
    name, kind = (column.name, column.type_name) if column else ("", "")
    return ConversionError(f"column {name} has a value that is none of {kind}")


def _nothing(_: bytes) -> None:
    return None
