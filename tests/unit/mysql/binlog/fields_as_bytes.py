"""Column values as MySQL writes them into row images and text result sets.

Written from MySQL's documentation of the formats ("Date and Time Data Type Representation",
"Rows_event", strings/decimal.cc), without a look at how the product reads them.
"""

from __future__ import annotations

import struct
from decimal import Decimal

Clock = tuple[int, int, int, int, int, int, int]  # year, month, day, hour, minute, second, micros


def integer(size: int, *, signed: bool) -> struct.Struct:
    code = {1: "b", 2: "h", 4: "i", 8: "q"}[size]
    return struct.Struct("<" + (code if signed else code.upper()))


def medium(value: int) -> bytes:
    return (value & 0xFFFFFF).to_bytes(3, "little")


def decimal(value: Decimal, precision: int, scale: int) -> bytes:
    """Nine digits in four bytes each; fewer digits, in the first and the last group, in fewer."""
    sign, digits, exponent = value.as_tuple()
    assert exponent == -scale
    text = "".join(map(str, digits)).rjust(precision, "0")
    whole, fraction = text[: precision - scale], text[precision - scale :]
    first = len(whole) % 9
    groups = [whole[:first], *_nines(whole[first:]), *_nines(fraction)]
    stored = bytearray(b"".join(_group(group) for group in groups))
    if sign and any(digits):
        stored = bytearray(byte ^ 0xFF for byte in stored)
    stored[0] ^= 0x80
    return bytes(stored)


def _nines(digits: str) -> list[str]:
    return [digits[start : start + 9] for start in range(0, len(digits), 9)]


def _group(digits: str) -> bytes:
    size = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4][len(digits)]
    return int(digits or 0).to_bytes(size, "big")


def bits(value: int, length: int) -> bytes:
    return value.to_bytes((length + 7) // 8, "big")


def year(value: int) -> bytes:
    return bytes([value - 1900 if value else 0])


def date(value: tuple[int, int, int]) -> bytes:
    number, month, day = value
    return (number << 9 | month << 5 | day).to_bytes(3, "little")


def time2(micros: int, digits: int) -> bytes:
    """The magnitude is packed, then negated as a whole and moved to be positive."""
    seconds, fraction = divmod(abs(micros), 1_000_000)
    packed = seconds // 3600 << 12 | seconds // 60 % 60 << 6 | seconds % 60
    width = _fraction_size(digits)
    packed = packed << 8 * width | _fraction(fraction, width)
    if micros < 0:
        packed = -packed
    return (packed + (1 << 23 + 8 * width)).to_bytes(3 + width, "big")


def datetime2(value: Clock, digits: int) -> bytes:
    number, month, day, hour, minute, second, micros = value
    packed = 1 << 39 | (number * 13 + month) << 22 | day << 17 | hour << 12 | minute << 6 | second
    width = _fraction_size(digits)
    return packed.to_bytes(5, "big") + _fraction(micros, width).to_bytes(width, "big")


def timestamp2(micros: int, digits: int) -> bytes:
    seconds, fraction = divmod(micros, 1_000_000)
    width = _fraction_size(digits)
    return seconds.to_bytes(4, "big") + _fraction(fraction, width).to_bytes(width, "big")


def old_time(micros: int) -> bytes:
    seconds = abs(micros) // 1_000_000
    number = seconds // 3600 * 10_000 + seconds // 60 % 60 * 100 + seconds % 60
    return medium(-number if micros < 0 else number)


def old_datetime(value: Clock) -> bytes:
    digits = "".join(f"{part:02d}" for part in value[:6])
    return struct.pack("<Q", int(digits))


def _fraction_size(digits: int) -> int:
    return (digits + 1) // 2


def _fraction(micros: int, width: int) -> int:
    return micros // int(10 ** (6 - 2 * width))


def prefixed(value: bytes, width: int) -> bytes:
    return len(value).to_bytes(width, "little") + value


def date_text(value: tuple[int, int, int]) -> str:
    return "{:04d}-{:02d}-{:02d}".format(*value)


def time_text(micros: int, digits: int) -> str:
    seconds, fraction = divmod(abs(micros), 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return ("-" if micros < 0 else "") + clock + fraction_text(fraction, digits)


def datetime_text(value: Clock, digits: int) -> str:
    clock = "{:02d}:{:02d}:{:02d}".format(*value[3:6])
    return f"{date_text(value[:3])} {clock}{fraction_text(value[6], digits)}"


def fraction_text(micros: int, digits: int) -> str:
    return f".{micros:06d}"[: digits + 1] if digits else ""


def length_encoded(number: int) -> bytes:
    if number < 251:
        return bytes([number])
    if number < 1 << 16:
        return b"\xfc" + number.to_bytes(2, "little")
    if number < 1 << 24:
        return b"\xfd" + number.to_bytes(3, "little")
    return b"\xfe" + number.to_bytes(8, "little")


def bitmap(flags: list[bool]) -> bytes:
    packed = sum(flag << number for number, flag in enumerate(flags))
    return packed.to_bytes((len(flags) + 7) // 8, "little")
