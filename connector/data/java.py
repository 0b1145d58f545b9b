"""Texts as the Java runtime writes them, so that JSON comes out equal.

Java prints ``1.0E10`` where Python prints ``10000000000.0``. Up to JDK 18 it also prints more
digits than needed now and then, such as ``2.7655999999999998E22`` (JDK-4511638). That is what
Connect on JDK 17 writes, so it is done here too; the number read back is the same.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import lru_cache
from math import floor, frexp, isinf, isnan, ldexp

from connector.data.calendar import clock
from connector.data.decimals import scale_of

# What String.trim takes away: other white space, such as a no-break space, stays.
BLANKS = "".join(map(chr, range(0x21)))
_FLOAT = struct.Struct("<f")
_POWERS = [10**power for power in range(20)]
_DAY = 86_400_000
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def double_text(value: float) -> str:
    """Return ``Double.toString`` of a value."""
    if 1e-3 <= abs(value) < 1e7:
        return repr(value)
    return _text(value, 53, -1074)


def float_text(value: float) -> str:
    """Return ``Float.toString`` of a value that fits 32 bits."""
    if 1e-3 <= abs(value) < 1e7:
        return repr(_shortest(value))
    return _text(value, 24, -149)


def to_float32(value: float) -> float:
    """Round to 32 bits, as a Python float; too large values become infinite."""
    try:
        return float(_FLOAT.unpack(_FLOAT.pack(value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def date_text(milliseconds: int) -> str:
    """Return ``Date.toString`` of a time since the epoch, in a JVM whose time zone is UTC."""
    date = clock(milliseconds)
    day, month = _DAYS[date.week_day], _MONTHS[date.month - 1]
    year = date.year if date.year > 0 else 1 - date.year  # Java shows no era
    time = f"{date.hour:02d}:{date.minute:02d}:{date.second:02d}"
    return f"{day} {month} {date.day:02d} {time} UTC {year}"


def connect_date_text(milliseconds: int) -> str:
    """Write a date, time or timestamp; Connect derives from the value which of them it is."""
    date = clock(milliseconds)
    time = f"{date.hour:02d}:{date.minute:02d}:{date.second:02d}.{date.millisecond:03d}Z"
    if milliseconds < _DAY:
        return time
    day = f"{date.year:04d}-{date.month:02d}-{date.day:02d}"
    return f"{day}T{time}" if milliseconds % _DAY else day


def _shortest(value: float) -> float:
    """Return the double that is written with as few digits as a 32 bit value needs."""
    for precision in (6, 7, 8):
        shorter = float(f"{value:.{precision}g}")
        if to_float32(shorter) == value:
            return shorter
    return float(f"{value:.9g}")


def _text(value: float, precision: int, least_exponent: int) -> str:
    """Write a number of a type with so many significant bits, the lowest of that exponent."""
    if isnan(value):
        return "NaN"
    sign = "-" if str(value)[0] == "-" else ""
    magnitude = abs(value)
    if isinf(value):
        return sign + "Infinity"
    if magnitude == 0:
        return sign + "0.0"
    if magnitude.is_integer() and magnitude < 2.0**63:
        digits, exponent = _integral_digits(int(magnitude), precision)
    else:
        digits, exponent = _digits(magnitude, precision, least_exponent)
    return sign + _layout(digits, exponent)


def _integral_digits(number: int, significant_bits: int) -> tuple[str, int]:
    """Digits and decimal exponent of an integer, without those below its binary precision."""
    spare_bits = frexp(number)[1] - 2 - significant_bits
    insignificant = len(str(1 << spare_bits)) - 1 if spare_bits > 1 else 0
    text = str(number)
    if insignificant:
        unit = _POWERS[insignificant]
        rounded, rest = divmod(number, unit)
        rounded += rest >= unit >> 1
        text = str(rounded)
    return text.rstrip("0") or "0", len(text) + insignificant - 1


def _digits(value: float, precision: int, least_exponent: int) -> tuple[str, int]:
    """Digits of a number and the decimal exponent of the first one.

    They are made one by one until what is left is within half a unit of the last binary place,
    below or above. JDK 17's own ways: two rounds at least where the exponent will be written,
    and sums that overflow where all fits a long.
    """
    rest, unit, half, exponent, in_long = _scaled(value, precision, least_exponent)
    number = count = rounds = 0
    low = high = False
    while not (low or high) or (rounds == 1 and not -3 <= exponent < 8):
        digit, rest = divmod(rest, unit)
        rest, half, rounds = rest * 10, half * 10, rounds + 1
        if in_long:
            half = _as_long(half)
            low, high = rest < half or half <= 0, _as_long(rest + half) > unit * 10 or half <= 0
        else:
            low, high = rest < half, rest + half >= unit * 10
        if rounds == 1 and digit == 0 and not high:  # the exponent was estimated one too high
            exponent -= 1
        else:
            number, count = number * 10 + digit, count + 1
    if high and (not low or rest + (number & 1) > unit * 5):
        number += 1
    text = str(number)
    return text.rstrip("0"), exponent + len(text) - count


def _scaled(value: float, precision: int, least_exponent: int) -> tuple[int, int, int, int, bool]:
    """Return a number as ``rest / unit * 10**exponent``, with the half of its last binary place.

    The exponent is JDK 17's estimate, which may be one too high; so is the half of a power of
    two, which is halved again. The last item: whether rest and unit fit a long.
    """
    fraction, binary = frexp(value)
    odd = int(ldexp(fraction, 53))
    odd //= odd & -odd
    bits = odd.bit_length()
    steepness = (fraction * 2 - 1.5) * 0.289529654
    exponent = floor(steepness + 0.176091259 + (binary - 1) * 0.301029995663981)
    rest_fives, unit_fives = max(-exponent, 0), max(exponent, 0)
    rest_twos = binary - bits + rest_fives
    place = binary - min(precision, binary - least_exponent)
    half_twos = place - 1 - (bits == 1) + rest_fives
    common = min(rest_twos, unit_fives, half_twos)
    rest_twos, unit_twos, half_twos = rest_twos - common, unit_fives - common, half_twos - common
    half, unit = 5**rest_fives, 5**unit_fives
    in_long = (
        bits + rest_twos + half.bit_length() < 64 and unit_twos + 1 + (unit * 5).bit_length() < 64
    )
    scaled = (odd * half << rest_twos, unit << unit_twos, half << half_twos)
    return *scaled, exponent, in_long


def _as_long(number: int) -> int:
    return (number + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def _layout(digits: str, exponent: int) -> str:
    """Place the point as Java does: plain from 10^-3 up to 10^7, else scientific."""
    if -3 <= exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if 0 <= exponent < 7:
        padded = digits.ljust(exponent + 1, "0")
        return f"{padded[: exponent + 1]}.{padded[exponent + 1 :] or '0'}"
    return f"{digits[0]}.{digits[1:] or '0'}E{exponent}"


def split(text: str, separator: str) -> list[str]:
    """Split as ``String.split``: empty parts at the end are left out."""
    parts = text.split(separator)
    return without_empty_end(parts) if len(parts) > 1 else parts


def without_empty_end(parts: Iterable[str]) -> list[str]:
    """Return parts without the empty ones at their end."""
    kept = list(parts)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def hash_order(keys: Iterable[str]) -> list[str]:
    """Return keys in the order in which a Java HashMap filled with them iterates.

    Debezium's offsets and positions are such maps; their JSON keeps the order.
    """
    return list(_known_hash_order(tuple(dict.fromkeys(keys))))


@lru_cache(maxsize=32)  # each transaction leads to an offset, and few have other keys
def _known_hash_order(keys: tuple[str, ...]) -> list[str]:
    capacity = 16
    while len(keys) > capacity * 3 // 4:
        capacity *= 2
    return _order_of_buckets(keys, capacity)


def copied_hash_order(names: Iterable[str]) -> list[str]:
    """Return names in the order of a Java HashSet that was copied once.

    Debezium joins the names of the tables of one statement in that order.
    """
    ordered = hash_order(names)
    capacity = 16
    while capacity < int(len(ordered) / 0.75) + 1:
        capacity *= 2
    return _order_of_buckets(ordered, capacity)


def grown_hash_order(copied: int, names: Iterable[str]) -> list[str]:
    """Return names in the order of a HashMap copied with so many entries, to which others came."""
    found = list(dict.fromkeys(names))
    capacity = 1
    while capacity < (int(copied / 0.75) + 1 if copied else 16):
        capacity *= 2
    while len(found) > capacity * 3 / 4:
        capacity *= 2
    return _order_of_buckets(found, capacity)


def hash_set_order(names: Iterable[str]) -> list[str]:
    """Return names in the order of a Java HashSet built from a collection with that order."""
    found = list(dict.fromkeys(names))
    capacity = 16
    while capacity < int(len(found) / 0.75) + 1:
        capacity *= 2
    return _order_of_buckets(found, capacity)


def concurrent_hash_order(names: Iterable[str]) -> list[str]:
    """Return names in the order in which a Java ConcurrentHashMap filled with them iterates."""
    found = list(dict.fromkeys(names))
    capacity = 16
    while len(found) >= capacity * 3 // 4:
        capacity *= 2
    return _order_of_buckets(found, capacity)


def _order_of_buckets(keys: Iterable[str], capacity: int) -> list[str]:
    return sorted(keys, key=lambda key: _spread(key) & capacity - 1)


def _spread(key: str) -> int:
    code = 0
    for (unit,) in struct.iter_unpack(">H", key.encode("utf-16-be", "surrogatepass")):
        code = code * 31 + unit & 0xFFFFFFFF
    return code ^ code >> 16


def decimal_text(value: int, scale: int) -> str:
    """Write a decimal as Java's ``BigDecimal.toString`` does."""
    scale = scale_of(value, scale)
    digits = str(abs(value))
    sign = "-" if value < 0 else ""
    exponent = len(digits) - 1 - scale
    if scale >= 0 and exponent >= -6:
        if scale == 0:
            return sign + digits
        padded = digits.rjust(scale + 1, "0")
        return f"{sign}{padded[:-scale]}.{padded[-scale:]}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}E{exponent:+d}" if exponent else sign + mantissa
