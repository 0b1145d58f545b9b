"""``hashCode`` of Java's values, and the MurmurHash3 of Debezium."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, Final

from connector.data.decimals import scale_of
from connector.data.java_numbers import wrap
from connector.data.schema import Schema
from connector.data.semantic import JAVA_DATES
from connector.names import CONNECT_DECIMAL

_LOW: Final = (1 << 64) - 1
_SEED: Final = 9001


def hash_code(schema: Schema, value: Any) -> int:
    """Return the hash of a value that is no struct, list or map.

    :raises ValueError: it is one.
    """
    if schema.name == CONNECT_DECIMAL:
        scale = int((schema.parameters or {}).get("scale", "0"))
        return _decimal(value, scale_of(value, scale))
    if schema.name in JAVA_DATES:
        return _long(value * JAVA_DATES[schema.name])
    kind = schema.type
    if kind in ("int8", "int16", "int32"):
        return int(value)
    if kind == "int64":
        return _long(value)
    if kind == "boolean":
        return 1231 if value else 1237
    if kind == "string":
        return _units(value)
    if kind == "float64":
        return _long(struct.unpack("<q", struct.pack("<d", value))[0])
    if kind == "float32":
        return int(struct.unpack("<i", struct.pack("<f", value))[0])
    if kind == "bytes":
        return _buffer(value)
    raise ValueError(kind)


def hash_map_order(keys: Iterable[str], capacity: int = 16) -> list[str]:
    """Return keys in the order of a Java HashMap of that capacity which they are put into."""
    found = list(keys)
    while len(found) > capacity * 3 // 4:
        capacity *= 2
    return sorted(found, key=lambda key: _bucket(_units(key), capacity))


def capacity_of_copy(size: int) -> int:
    """Return the capacity of a HashMap that is made as a copy of another."""
    smallest = int(size / 0.75 + 1.0)
    return 1 << (smallest - 1).bit_length()


def _bucket(code: int, capacity: int) -> int:
    unsigned = code & 0xFFFFFFFF
    return (unsigned ^ unsigned >> 16) & capacity - 1


def murmur(schema: Schema, value: Any) -> int:
    """Return Debezium's MurmurHash3: of the characters of a text, else of the hash code."""
    if schema.type == "string":
        return wrap(_murmur(value.encode("utf-8", "replace")) >> 32, 32)
    code = struct.pack("<i", hash_code(schema, value))
    return wrap(_murmur(code) >> 32, 32)


def _long(number: int) -> int:
    unsigned = number & _LOW
    return wrap(unsigned ^ unsigned >> 32, 32)


def _units(text: str) -> int:
    code = 0
    for (unit,) in struct.iter_unpack(">H", text.encode("utf-16-be", "surrogatepass")):
        code = code * 31 + unit & 0xFFFFFFFF
    return wrap(code, 32)


def _buffer(data: bytes) -> int:
    """Hash a ByteBuffer: signed bytes from the last to the first."""
    code = 1
    for byte in reversed(data):
        code = code * 31 + wrap(byte, 8) & 0xFFFFFFFF
    return wrap(code, 32)


def _decimal(unscaled: int, scale: int) -> int:
    """Hash a BigDecimal: one that fits a long has a rule of its own."""
    magnitude, code = abs(unscaled), 0
    if -(1 << 63) < unscaled < 1 << 63:
        code = wrap((magnitude >> 32) * 31 + (magnitude & 0xFFFFFFFF), 32)
    else:
        for word in struct.unpack(f">{(magnitude.bit_length() + 31) // 32}I", _words(magnitude)):
            code = code * 31 + word & 0xFFFFFFFF
    return wrap(31 * (-code if unscaled < 0 else code) + scale, 32)


def _words(magnitude: int) -> bytes:
    return magnitude.to_bytes((magnitude.bit_length() + 31) // 32 * 4, "big")


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> 64 - bits) & _LOW


def _mixed(number: int) -> int:
    number ^= number >> 33
    number = number * 0xFF51AFD7ED558CCD & _LOW
    number ^= number >> 33
    number = number * 0xC4CEB9FE1A85EC53 & _LOW
    return number ^ number >> 33


class _Murmur:
    """The state of the hash: two halves and two constants that change with each block."""

    def __init__(self) -> None:
        self.one = 0x9368E53C2F6AF274 ^ _SEED
        self.two = 0x586DCD208F7CD3FD ^ _SEED
        self.first = 0x87C37B91114253D5
        self.second = 0x4CF5AD432745937F

    def add(self, low: int, high: int) -> None:
        """Mix a block in."""
        low = _rotated(low * self.first & _LOW, 23) * self.second & _LOW
        self.one = (self.one ^ low) + self.two & _LOW
        high = _rotated(high * self.second & _LOW, 23) * self.first & _LOW
        self.two = (_rotated(self.two, 41) ^ high) + self.one & _LOW
        self.one = self.one * 3 + 0x52DCE729 & _LOW
        self.two = self.two * 3 + 0x38495AB5 & _LOW
        self.first = self.first * 5 + 0x7B7D159C & _LOW
        self.second = self.second * 5 + 0x6BCE6396 & _LOW

    def end(self, length: int) -> int:
        """Return the first half of the hash, signed."""
        self.two ^= length
        self.one = self.one + self.two & _LOW
        self.two = self.two + self.one & _LOW
        one, two = _mixed(self.one), _mixed(self.two)
        return wrap(one + two, 64)


def _murmur(data: bytes) -> int:
    state = _Murmur()
    whole = len(data) // 16 * 16
    for low, high in struct.iter_unpack("<QQ", data[:whole]):
        state.add(low, high)
    tail = data[whole:]
    if tail:
        state.add(_tail(tail[:8]), _tail(tail[8:]))
    return state.end(len(data))


def _tail(data: bytes) -> int:
    """Join the last bytes; each is signed, and its sign reaches into the higher ones."""
    joined = 0
    for index, byte in enumerate(data):
        joined ^= wrap(byte, 8) << 8 * index
    return joined & _LOW
