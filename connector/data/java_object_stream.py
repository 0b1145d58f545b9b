"""Java's serialized form of an ``Object[]``, in which Debezium keeps keys in offsets.

A stream describes each class once, and refers to it by a number afterwards; objects, strings and
arrays are numbered too. See "Java Object Serialization Specification", chapter 6.
"""

from __future__ import annotations

import struct
from typing import Final

MAGIC: Final = b"\xac\xed\x00\x05"
NULL, REFERENCE, CLASS, OBJECT, STRING, ARRAY = 0x70, 0x71, 0x72, 0x73, 0x74, 0x75
BLOCK, END, LONG_STRING = 0x77, 0x78, 0x7C
FIRST_NUMBER: Final = 0x7E0000
WRITES, SERIALIZABLE = 1, 2
FORMATS: Final = {"B": ">b", "D": ">d", "F": ">f", "I": ">i", "J": ">q", "S": ">h", "Z": ">?"}


class JavaLong(int):
    """An integer that is a ``Long`` in Java."""


class JavaBigInteger(int):
    """An integer that is a ``BigInteger`` in Java."""


def modified_utf8(text: str) -> bytes:
    """Return Java's form of UTF-8: surrogates one by one, and no zero byte."""
    units = struct.iter_unpack(">H", text.encode("utf-16-be", "surrogatepass"))
    joined = "".join(chr(unit) for (unit,) in units).encode("utf-8", "surrogatepass")
    return joined.replace(b"\0", b"\xc0\x80")


def from_modified_utf8(data: bytes) -> str:
    """Read Java's form of UTF-8."""
    units = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return units.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
