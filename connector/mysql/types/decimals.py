"""DECIMAL and NUMERIC."""

from __future__ import annotations

import decimal
from collections.abc import Callable

from connector.capture.tables import Column
from connector.codegen import Expression, call
from connector.data.schema import FLOAT64, STRING
from connector.data.semantic import decimal as decimal_schema
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import NEWDECIMAL, Fixed, FromLog, Wire, decimal_groups, mismatch
from connector.mysql.types.type_options import TypeOptions

NAMES = ("DECIMAL", "NUMERIC", "DEC", "FIXED")
_EXACT = decimal.Context(prec=200, rounding=decimal.ROUND_HALF_UP)


def number(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a fixed point column in the mode of ``decimal.handling.mode``."""
    scale = column.scale or 0
    unscaled = Expression("int({}.replace(b'.', b''))", native=("unscaled",))
    if options.decimal == "precise":
        schema = decimal_schema(scale, column.length)
        return ColumnType(
            schema, unscaled, _from_log(Expression(), "unscaled", scale), _unscaled(scale), 0
        )
    if options.decimal == "string":
        text = Expression("@f({})", {"f": _normal_text}, ("plain-decimal",))
        convert = call(lambda value: plain_text(value, scale))
        default = _unscaled(scale)
        return ColumnType(
            STRING,
            text,
            _from_log(convert, "text", scale),
            lambda literal: plain_text(default(literal), scale),
            "0",
        )
    # a correctly rounded double: through the decimal text, not by dividing
    convert = call(lambda value: float(f"{value}e-{scale}"))
    from_log = _from_log(convert, "double", scale)
    text = Expression("float({})", native=("double",))
    return ColumnType(FLOAT64, text, from_log, _double(scale), 0.0)


def plain_text(unscaled: int, scale: int) -> str:
    """Return an unscaled number as plain text with all digits of the scale."""
    if scale <= 0:
        return str(unscaled)
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    sign = "-" if unscaled < 0 else ""
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}"


def _normal_text(data: bytes) -> str:
    """Drop the leading zeros of a ZEROFILL column."""
    text = data.decode("ascii")
    if text[0] != "0" or len(text) == 1 or text[1] == ".":
        return text
    stripped = text.lstrip("0")
    return "0" + stripped if not stripped or stripped[0] == "." else stripped


def _unscaled(scale: int) -> Callable[[str], int]:
    def convert(literal: str) -> int:
        text = {"true": "1", "false": "0"}.get(literal.lower(), literal)
        value = decimal.Decimal(text).quantize(decimal.Decimal(1).scaleb(-scale), context=_EXACT)
        return int(value.scaleb(scale, context=_EXACT))

    return convert


def _double(scale: int) -> Callable[[str], float]:
    unscaled = _unscaled(scale)
    return lambda literal: float(f"{unscaled(literal)}e-{scale}")


def _from_log(convert: Expression, form: str, shown_scale: int) -> FromLog:
    def field(wire: Wire) -> Fixed:
        if wire.type != NEWDECIMAL:
            raise mismatch("DECIMAL", wire)
        precision, scale = wire.meta & 0xFF, wire.meta >> 8
        decode, size = decimal_decoder(precision, scale)
        flip = 1 << (size * 8 - 1)
        positive = _sum_of_groups(_steps(decimal_groups(precision, scale)), flip)
        number = f"({positive} if (packed := @number({{}}, 'big')) & {flip} else @decode({{}}))"
        names = {**convert.names, "number": int.from_bytes, "decode": decode}
        native = ("decimal", precision, scale, form, shown_scale)
        return Fixed(f"{size}s", Expression(convert.template.replace("{}", number), names, native))

    return field


def _sum_of_groups(steps: list[tuple[int, int, int]], flip: int) -> str:
    """Return the source of a positive number, whose first bit is set, in ``packed``."""
    total = ""
    for shift, mask, power in steps:
        group = f"(packed >> {shift} & {mask & ~(flip >> shift)})"
        total = f"({total} * {power} + {group})" if total else group
    return total


def decimal_decoder(precision: int, scale: int) -> tuple[Callable[[bytes], int], int]:
    """Return a function from the stored bytes to the unscaled int, and their number.

    Digits are packed in groups of nine (four bytes each), with a shorter first group before
    and a shorter last group after the point. The first bit is the sign, inverted; a negative
    number has all its bits inverted.
    """
    layout = decimal_groups(precision, scale)
    size = sum(width for width, _ in layout)
    flip = 1 << (size * 8 - 1)
    mask = (1 << (size * 8)) - 1
    steps = _steps(layout)
    if len(steps) == 1:

        def decode_one(data: bytes) -> int:
            number = int.from_bytes(data, "big") ^ flip
            return number if not number & flip else -(number ^ mask)

        return decode_one, size

    def decode(data: bytes) -> int:
        number = int.from_bytes(data, "big") ^ flip
        negative = number & flip
        if negative:
            number ^= mask
        result = 0
        for shift, group_mask, power in steps:
            result = result * power + (number >> shift & group_mask)
        return -result if negative else result

    return decode, size


def _steps(layout: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return (shift, mask, power of ten) for each group."""
    shift = sum(width for width, _ in layout) * 8
    steps = []
    for width, digits in layout:
        shift -= width * 8
        steps.append((shift, (1 << width * 8) - 1, 10**digits))
    return steps
