"""Writes values in Java's serialized form of an ``Object[]``."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from connector.data.java_object_stream import (
    ARRAY,
    CLASS,
    END,
    FIRST_NUMBER,
    FORMATS,
    LONG_STRING,
    MAGIC,
    NULL,
    OBJECT,
    REFERENCE,
    SERIALIZABLE,
    STRING,
    WRITES,
    JavaBigInteger,
    JavaLong,
    modified_utf8,
)

_NUMBER: Final = ("java.lang.Number", "86ac951d0b94e08b", SERIALIZABLE, ())
_OBJECTS: Final = ("[Ljava.lang.Object;", "90ce589f1073296c", SERIALIZABLE, ())
_BYTES: Final = ("[B", "acf317f8060854e0", SERIALIZABLE, ())
_BIG_INTEGER: Final = (
    "java.math.BigInteger",
    "8cfc9f1fa93bfb1d",
    SERIALIZABLE | WRITES,
    (
        ("I", "bitCount"),
        ("I", "bitLength"),
        ("I", "firstNonzeroByteNum"),
        ("I", "lowestSetBit"),
        ("I", "signum"),
        ("[B", "magnitude"),
    ),
)
_BIG_DECIMAL: Final = (
    "java.math.BigDecimal",
    "54c71557f981284f",
    SERIALIZABLE | WRITES,
    (("I", "scale"), ("Ljava/math/BigInteger;", "intVal")),
)
_BOXES: Final = {
    "I": ("java.lang.Integer", "12e2a0a4f7818738", SERIALIZABLE, (("I", "value"),)),
    "J": ("java.lang.Long", "3b8be490cc8f23df", SERIALIZABLE, (("J", "value"),)),
    "D": ("java.lang.Double", "80b3c24a296bfb04", SERIALIZABLE, (("D", "value"),)),
}


def serialize(values: Sequence[Any] | None) -> str:
    """Return the serialized form of an array as hexadecimal digits.

    :param values: None, int, float, str, bytes or Decimal each; None stands for no array.
    """
    return _ObjectWriter().write(values).hex()


class _ObjectWriter:
    def __init__(self) -> None:
        self._out = bytearray(MAGIC)
        self._numbers: dict[str, int] = {}
        self._count = 0

    def write(self, values: Sequence[Any] | None) -> bytes:
        if values is None:
            self._out.append(NULL)
        else:
            self._out.append(ARRAY)
            self._class(_OBJECTS, None)
            self._count += 1
            self._pack(">i", len(values))
            for value in values:
                self._value(value)
        return bytes(self._out)

    def _value(self, value: Any) -> None:
        if value is None:
            self._out.append(NULL)
        elif isinstance(value, str):
            self._string(value)
        elif isinstance(value, bytes):
            self._bytes(value)
        elif isinstance(value, Decimal):
            self._big_decimal(value)
        elif isinstance(value, JavaBigInteger) or not _fits(value, 64):
            self._big_integer(int(value))
        elif isinstance(value, float):
            self._box("D", value)
        else:
            is_long = isinstance(value, JavaLong) or not _fits(value, 32)
            self._box("J" if is_long else "I", value)

    def _box(self, kind: str, value: float) -> None:
        self._object(_BOXES[kind])
        self._pack(FORMATS[kind], value)

    def _object(self, described: tuple[Any, ...]) -> None:
        self._out.append(OBJECT)
        self._class(described, _NUMBER)
        self._count += 1

    def _big_integer(self, value: int) -> None:
        self._object(_BIG_INTEGER)
        for number in (-1, -1, -2, -2, (value > 0) - (value < 0)):
            self._pack(">i", number)
        magnitude = abs(value)
        self._bytes(magnitude.to_bytes((magnitude.bit_length() + 7) // 8, "big"))
        self._out.append(END)

    def _big_decimal(self, value: Decimal) -> None:
        sign, digits, exponent = value.as_tuple()
        unscaled = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
        self._object(_BIG_DECIMAL)
        self._pack(">i", -int(exponent))
        self._big_integer(unscaled)
        self._out.append(END)

    def _bytes(self, value: bytes) -> None:
        self._out.append(ARRAY)
        self._class(_BYTES, None)
        self._count += 1
        self._pack(">i", len(value))
        self._out += value

    def _string(self, value: str) -> None:
        self._count += 1
        data = modified_utf8(value)
        if len(data) <= 0xFFFF:
            self._out.append(STRING)
            self._pack(">H", len(data))
        else:
            self._out.append(LONG_STRING)
            self._pack(">q", len(data))
        self._out += data

    def _class(self, described: tuple[Any, ...], parent: tuple[Any, ...] | None) -> None:
        name, identity, flags, fields = described
        if name in self._numbers:
            self._refer(name)
            return
        self._out.append(CLASS)
        self._name(name)
        self._out += bytes.fromhex(identity)
        self._numbers[name] = self._count
        self._count += 1
        self._out.append(flags)
        self._pack(">H", len(fields))
        for kind, field in fields:
            self._out += kind[:1].encode()
            self._name(field)
            if len(kind) > 1:
                self._type_name(kind)
        self._out.append(END)
        if parent is None:
            self._out.append(NULL)
        else:
            self._class(parent, None)

    def _type_name(self, kind: str) -> None:
        """Write the type of a field, a string: the second time it is a reference."""
        key = f"type {kind}"
        if key in self._numbers:
            self._refer(key)
        else:
            self._numbers[key] = self._count
            self._string(kind)

    def _refer(self, key: str) -> None:
        self._out.append(REFERENCE)
        self._pack(">i", FIRST_NUMBER + self._numbers[key])

    def _name(self, text: str) -> None:
        self._pack(">H", len(text))
        self._out += text.encode()

    def _pack(self, form: str, value: float) -> None:
        self._out += struct.pack(form, value)


def _fits(value: Any, bits: int) -> bool:
    return isinstance(value, float) or -(1 << bits - 1) <= value < 1 << bits - 1
