"""Generates the function that decodes images with one bitmap of NULLs.

The function decodes images as long as the bitmap stays the same, so that a run of like rows
costs no call. Columns of constant size that stand together are unpacked by one `struct` call.
For a table of an int and a varchar with no NULL it looks like this::

    def images(d, p, end, append):
        while p < end and d[p] == 0:
            v0, n, = u0(d, p + 1)
            e = p + 6 + n
            v1 = d[p + 6:e].decode('utf-8', 'replace')
            p = e
            append((v0, v1))
        return p
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from connector.capture.change import Row
from connector.codegen import Expression, compile_function
from connector.mysql.types.fields import Fixed, LogField, Prefixed

_LENGTHS = {1: "B", 2: "H", 4: "I"}  # formats of the lengths before fields, by their bytes
Variant = Callable[[bytes, int, int, Callable[[Row], None]], int]


@dataclass(frozen=True, slots=True)
class HeldColumn:
    """A column that the images hold; ``slot`` is its index in the result, None = skipped."""

    field: LogField
    convert: Expression
    slot: int | None
    absent: Any = None


def compile_images(columns: Sequence[HeldColumn], initial: Sequence[Any], nulls: bytes) -> Variant:
    """Return the function for one bitmap of NULLs.

    ``initial`` holds the value of each slot of the result that no column fills.
    """
    writer = _Writer(columns, initial, nulls)
    return compile_function(writer.lines(), writer.names)


class _Writer:
    def __init__(self, columns: Sequence[HeldColumn], initial: Sequence[Any], nulls: bytes) -> None:
        self._columns = columns
        self._nulls = nulls
        self.names: dict[str, Any] = {"nulls": nulls}
        self._body: list[str] = []
        self._ahead = len(nulls)  # bytes behind p that are passed but not yet added to it
        self._values = [self._constant(f"i{slot}", value) for slot, value in enumerate(initial)]

    def lines(self) -> list[str]:
        """Return the lines of the whole function."""
        run: list[tuple[int, HeldColumn]] = []
        for number, column in enumerate(self._columns):
            if self._nulls[number >> 3] >> (number & 7) & 1:
                if column.slot is not None:
                    self._values[column.slot] = self._constant(f"a{number}", column.absent)
            elif isinstance(column.field, Fixed):
                run.append((number, column))
            else:
                length = self._unpack(run, column.field.width)
                run = []
                self._slice(number, column, column.field, length)
        self._unpack(run)
        self._advance()
        size = len(self._nulls)
        same = f"d[p] == {self._nulls[0]}" if size == 1 else f"d[p:p + {size}] == nulls"
        lines = [f"    while p < end and {same}:", *self._body]
        result = "".join(f"{value}, " for value in self._values)
        lines.append(f"        append(({result}))")
        return ["def images(d, p, end, append):", *lines, "    return p"]

    def _unpack(self, run: list[tuple[int, HeldColumn]], width: int = 0) -> str:
        """Write one call that unpacks neighboring fields of constant size.

        Behind them may be the length of another field, in ``width`` bytes: return its source.
        """
        codes = "<" + "".join(_code(column) for _, column in run)
        requested = [(number, column) for number, column in run if column.slot is not None]
        here, size = self._here(), struct.calcsize(codes)
        self._ahead += size
        if not requested:
            return self._length(width)
        length = _LENGTHS.get(width, "")
        targets = [f"v{number}" for number, _ in requested] + ["n"] * len(length)
        name = f"u{run[0][0]}"
        self.names[name] = struct.Struct(codes + length).unpack_from
        self._line(f"{''.join(f'{target}, ' for target in targets)}= {name}(d, {here})")
        for number, column in requested:
            self._convert(number, column, f"v{number}")
        return "n" if length else self._length(width)

    def _length(self, width: int) -> str:
        """Return the source of a little-endian number of so many bytes."""
        rest = "".join(f" | d[{self._here(byte)}] << {8 * byte}" for byte in range(1, width))
        return f"(d[{self._here()}]{rest})" if rest else f"d[{self._here()}]"

    def _slice(self, number: int, column: HeldColumn, field: Prefixed, length: str) -> None:
        """Write the reading of a field behind its length."""
        start = self._here(field.width)
        self._line(f"e = {start} + {length}")
        if column.slot is not None:
            self._convert(number, column, f"d[{start}:e]")
        self._line("p = e")
        self._ahead = 0

    def _convert(self, number: int, column: HeldColumn, value: str) -> None:
        expression = column.convert.source(value, f"c{number}", self.names)
        assert column.slot is not None
        if expression == f"v{number}":
            self._values[column.slot] = expression
            return
        self._line(f"v{number} = {expression}")
        self._values[column.slot] = f"v{number}"

    def _constant(self, name: str, value: Any) -> str:
        if value is None:
            return "None"
        self.names[name] = value
        return name

    def _advance(self) -> None:
        if self._ahead:
            self._line(f"p += {self._ahead}")
            self._ahead = 0

    def _here(self, offset: int = 0) -> str:
        ahead = self._ahead + offset
        return f"p + {ahead}" if ahead else "p"

    def _line(self, text: str) -> None:
        self._body.append("        " + text)


def _code(column: HeldColumn) -> str:
    assert isinstance(column.field, Fixed)
    if column.slot is not None:
        return column.field.format
    return f"{struct.calcsize('<' + column.field.format)}x"
