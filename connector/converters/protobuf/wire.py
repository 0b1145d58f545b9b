"""Protobuf's encoding of fields: a tag and the value behind it.

A field that says nothing of presence is not written where its value is zero, empty or false.
``explicit`` fields, and those of messages, are written whenever there is a value.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final

from connector.converters.varints import varint
from connector.data.calendar import clock
from connector.data.decimals import scale_of, unscaled_bytes
from connector.data.fragments import EncodeValue
from connector.data.schema import Schema
from connector.data.semantic import (
    CONNECT_DATE,
    CONNECT_TIME,
    CONNECT_TIMESTAMP,
)
from connector.errors import ConversionError
from connector.names import CONNECT_DECIMAL

FLOAT: Final = Struct("<f").pack
DOUBLE: Final = Struct("<d").pack
ZERO_FLOAT: Final = b"\x00" * 4
ZERO_DOUBLE: Final = b"\x00" * 8
_VARINT, _BITS_64, _LENGTH, _BITS_32 = 0, 1, 2, 5
_LOW: Final = (1 << 64) - 1
_BITS: Final = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_DAY: Final = 86_400_000
_SECONDS: Final = range(-62_135_596_800, 253_402_300_800)  # of the years 1 to 9999


def tag(number: int, kind: str) -> bytes:
    """Return the tag of a field with values of a Connect type."""
    if kind in _BITS or kind == "boolean":
        return varint(number << 3 | _VARINT)
    if kind == "float32":
        return varint(number << 3 | _BITS_32)
    return varint(number << 3 | (_BITS_64 if kind == "float64" else _LENGTH))


def sized(start: bytes, content: bytes) -> bytes:
    """Return a message, text or the like behind its tag and length."""
    return start + varint(len(content)) + content


def integer(kind: str) -> EncodeValue:
    """Return the function for a number without its tag; negative ones take ten bytes."""
    limit = 1 << _BITS[kind] - 1

    def encode(value: int) -> bytes:
        if not -limit <= value < limit:
            raise ConversionError(f"a number does not fit into {kind}")
        return varint(value & _LOW)

    return encode


_BARE: Final[dict[str, EncodeValue]] = {
    **{kind: integer(kind) for kind in _BITS},
    "float32": FLOAT,
    "float64": DOUBLE,
    "boolean": {False: b"\x00", True: b"\x01"}.__getitem__,
}
_ZEROS: Final = {"float32": ZERO_FLOAT, "float64": ZERO_DOUBLE}


def single(kind: str, number: int, *, explicit: bool) -> EncodeValue:
    """Return the function for a field of a single value."""
    start = tag(number, kind)
    if kind == "string":
        return lambda text: sized(start, text.encode()) if text or explicit else b""
    if kind == "bytes":
        return lambda data: sized(start, data) if len(data) or explicit else b""
    bare = _BARE[kind]
    if explicit:
        return lambda value: start + bare(value)
    zero = _ZEROS.get(kind, b"\x00")

    def encode(value: Any) -> bytes:
        written = bare(value)
        return start + written if written != zero else b""

    return encode


def packed(kind: str, number: int) -> EncodeValue | None:
    """Return the function for a list of numbers or booleans, None for other types."""
    bare, start = _BARE.get(kind), varint(number << 3 | _LENGTH)
    if bare is None:
        return None
    return lambda values: sized(start, b"".join(map(bare, values))) if values else b""


def message(number: int, content: EncodeValue) -> EncodeValue:
    """Return the function for a field that is a message."""
    start = varint(number << 3 | _LENGTH)
    return lambda value: sized(start, content(value))


def logical(schema: Schema) -> EncodeValue | None:
    """Return the function for the content of a decimal, date or time, None for other schemas."""
    if schema.name == CONNECT_DECIMAL:
        return _decimal(int((schema.parameters or {}).get("scale", "0")))
    return _LOGICAL.get(schema.name or "")


def _decimal(scale: int) -> EncodeValue:
    end = b"\x18" + varint(scale & _LOW) if scale else b""

    def encode(value: int) -> bytes:
        if scale_of(value, scale) != scale:
            return _decimal(scale_of(value, scale))(int(value))
        data = unscaled_bytes(value)
        precision = varint(len(str(abs(value))))
        return b"\x0a" + varint(len(data)) + data + b"\x10" + precision + end

    return encode


def _numbers(*values: int) -> bytes:
    """Return the fields of a message of numbers; zeros are left out."""
    parts = ((number << 3, value) for number, value in enumerate(values, 1) if value)
    return b"".join(varint(start) + varint(value & _LOW) for start, value in parts)


def _date(days: int) -> bytes:
    moment = clock(days * _DAY)
    # Java's calendar counts the years before the first from one on, too.
    year = moment.year if moment.year > 0 else 1 - moment.year
    return _numbers(year, moment.month, moment.day)


def _time(milliseconds: int) -> bytes:
    if not 0 <= milliseconds <= _DAY:
        raise ConversionError("a time of day is not between 0 and 24 hours")
    seconds, millisecond = divmod(milliseconds % _DAY, 1000)
    minutes, second = divmod(seconds, 60)
    return _numbers(minutes // 60, minutes % 60, second, millisecond * 1_000_000)


def _timestamp(milliseconds: int) -> bytes:
    seconds, millisecond = divmod(milliseconds, 1000)
    if seconds not in _SECONDS:
        raise ConversionError("a timestamp is not between the years 1 and 9999")
    return _numbers(seconds, millisecond * 1_000_000)


_LOGICAL: Final = {
    CONNECT_DATE.name: _date,
    CONNECT_TIME.name: _time,
    CONNECT_TIMESTAMP.name: _timestamp,
}
