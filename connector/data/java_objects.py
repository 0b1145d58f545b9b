"""Java's serialized form of an ``Object[]``, in which Debezium keeps keys in offsets.

A stream describes each class once, and refers to it by a number afterwards; objects, strings and
arrays are numbered too. See "Java Object Serialization Specification", chapter 6.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

_MAGIC: Final = b"\xac\xed\x00\x05"
_NULL, _REFERENCE, _CLASS, _OBJECT, _STRING, _ARRAY = 0x70, 0x71, 0x72, 0x73, 0x74, 0x75
_BLOCK, _END, _LONG_STRING = 0x77, 0x78, 0x7C
_FIRST_NUMBER: Final = 0x7E0000
_WRITES, _SERIALIZABLE = 1, 2
_FORMATS: Final = {"B": ">b", "D": ">d", "F": ">f", "I": ">i", "J": ">q", "S": ">h", "Z": ">?"}
_NUMBER: Final = ("java.lang.Number", "86ac951d0b94e08b", _SERIALIZABLE, ())
_OBJECTS: Final = ("[Ljava.lang.Object;", "90ce589f1073296c", _SERIALIZABLE, ())
_BYTES: Final = ("[B", "acf317f8060854e0", _SERIALIZABLE, ())
_BIG_INTEGER: Final = (
    "java.math.BigInteger",
    "8cfc9f1fa93bfb1d",
    _SERIALIZABLE | _WRITES,
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
    _SERIALIZABLE | _WRITES,
    (("I", "scale"), ("Ljava/math/BigInteger;", "intVal")),
)
_BOXES: Final = {
    "I": ("java.lang.Integer", "12e2a0a4f7818738", _SERIALIZABLE, (("I", "value"),)),
    "J": ("java.lang.Long", "3b8be490cc8f23df", _SERIALIZABLE, (("J", "value"),)),
    "D": ("java.lang.Double", "80b3c24a296bfb04", _SERIALIZABLE, (("D", "value"),)),
}


class JavaLong(int):
    """An integer that is a ``Long`` in Java."""


class JavaBigInteger(int):
    """An integer that is a ``BigInteger`` in Java."""


def serialize(values: Sequence[Any] | None) -> str:
    """Return the serialized form of an array as hexadecimal digits.

    :param values: None, int, float, str, bytes or Decimal each; None stands for no array.
    """
    return _ObjectWriter().write(values).hex()


def deserialize(text: str) -> tuple[Any, ...] | None:
    """Read the serialized form of an array.

    :raises ValueError: it is damaged, or has an object of another class.
    """
    try:
        found = _ObjectReader(bytes.fromhex(text)).read()
    except (IndexError, KeyError, struct.error, RecursionError) as error:
        raise ValueError(f"not a serialized array of values: {error!r}") from error
    if found is not None and not isinstance(found, tuple):
        raise ValueError("not a serialized array of values")
    return found


class _ObjectWriter:
    def __init__(self) -> None:
        self._out = bytearray(_MAGIC)
        self._numbers: dict[str, int] = {}
        self._count = 0

    def write(self, values: Sequence[Any] | None) -> bytes:
        if values is None:
            self._out.append(_NULL)
        else:
            self._out.append(_ARRAY)
            self._class(_OBJECTS, None)
            self._count += 1
            self._pack(">i", len(values))
            for value in values:
                self._value(value)
        return bytes(self._out)

    def _value(self, value: Any) -> None:
        if value is None:
            self._out.append(_NULL)
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
        self._pack(_FORMATS[kind], value)

    def _object(self, described: tuple[Any, ...]) -> None:
        self._out.append(_OBJECT)
        self._class(described, _NUMBER)
        self._count += 1

    def _big_integer(self, value: int) -> None:
        self._object(_BIG_INTEGER)
        for number in (-1, -1, -2, -2, (value > 0) - (value < 0)):
            self._pack(">i", number)
        magnitude = abs(value)
        self._bytes(magnitude.to_bytes((magnitude.bit_length() + 7) // 8, "big"))
        self._out.append(_END)

    def _big_decimal(self, value: Decimal) -> None:
        sign, digits, exponent = value.as_tuple()
        unscaled = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
        self._object(_BIG_DECIMAL)
        self._pack(">i", -int(exponent))
        self._big_integer(unscaled)
        self._out.append(_END)

    def _bytes(self, value: bytes) -> None:
        self._out.append(_ARRAY)
        self._class(_BYTES, None)
        self._count += 1
        self._pack(">i", len(value))
        self._out += value

    def _string(self, value: str) -> None:
        self._count += 1
        data = _modified_utf8(value)
        if len(data) <= 0xFFFF:
            self._out.append(_STRING)
            self._pack(">H", len(data))
        else:
            self._out.append(_LONG_STRING)
            self._pack(">q", len(data))
        self._out += data

    def _class(self, described: tuple[Any, ...], parent: tuple[Any, ...] | None) -> None:
        name, identity, flags, fields = described
        if name in self._numbers:
            self._refer(name)
            return
        self._out.append(_CLASS)
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
        self._out.append(_END)
        if parent is None:
            self._out.append(_NULL)
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
        self._out.append(_REFERENCE)
        self._pack(">i", _FIRST_NUMBER + self._numbers[key])

    def _name(self, text: str) -> None:
        self._pack(">H", len(text))
        self._out += text.encode()

    def _pack(self, form: str, value: float) -> None:
        self._out += struct.pack(form, value)


class _Described:
    """The description of a class in a stream."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.flags = 0
        self.fields: list[tuple[str, str]] = []
        self.parent: _Described | None = None


class _ObjectReader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._numbered: list[Any] = []

    def read(self) -> Any:
        if self._take(4) != _MAGIC:
            raise ValueError("not a stream of serialized objects")
        return self._value()

    def _value(self) -> Any:
        kind = self._take(1)[0]
        if kind == _NULL:
            return None
        if kind == _REFERENCE:
            return self._numbered[self._unpack(">i") - _FIRST_NUMBER]
        if kind in (_STRING, _LONG_STRING):
            text = _from_modified_utf8(self._take(self._unpack(">H" if kind == _STRING else ">q")))
            self._numbered.append(text)
            return text
        if kind == _ARRAY:
            return self._array()
        if kind == _OBJECT:
            return self._object()
        raise ValueError(f"an object of kind {kind:#x}")

    def _array(self) -> Any:
        described = self._class()
        number = len(self._numbered)
        self._numbered.append(None)
        size = self._unpack(">i")
        if size < 0:
            raise ValueError("an array of negative length")
        if described is not None and described.name == "[B":
            value: Any = self._take(size)
        else:
            value = tuple(self._value() for _ in range(size))
        self._numbered[number] = value
        return value

    def _object(self) -> Any:
        described = self._class()
        if described is None:
            raise ValueError("an object without a class")
        number = len(self._numbered)
        self._numbered.append(None)
        values: dict[str, Any] = {}
        line = []
        above: _Described | None = described
        while above is not None:
            line.append(above)
            above = above.parent
        for one in reversed(line):
            for kind, name in one.fields:
                values[name] = self._unpack(_FORMATS[kind]) if kind in _FORMATS else self._value()
            if one.flags & _WRITES and self._take(1)[0] != _END:
                raise ValueError(f"an object of class {described.name}")
        self._numbered[number] = value = _plain(described.name, values)
        return value

    def _class(self) -> _Described | None:
        kind = self._take(1)[0]
        if kind == _NULL:
            return None
        if kind == _REFERENCE:
            found = self._numbered[self._unpack(">i") - _FIRST_NUMBER]
            if not isinstance(found, _Described):
                raise ValueError("a reference to a class that is none")
            return found
        if kind != _CLASS:
            raise ValueError(f"a class of kind {kind:#x}")
        described = _Described(self._take(self._unpack(">H")).decode())
        self._take(8)
        self._numbered.append(described)
        described.flags = self._take(1)[0]
        for _ in range(self._unpack(">H")):
            kind_of = chr(self._take(1)[0])
            name = self._take(self._unpack(">H")).decode()
            if kind_of in "[L":
                kind_of = str(self._value())
            described.fields.append((kind_of, name))
        if self._take(1)[0] != _END:
            raise ValueError(f"annotations of class {described.name}")
        described.parent = self._class()
        return described

    def _unpack(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise ValueError("the stream ends too early")
        found = self._data[self._at : end]
        self._at = end
        return found


def _plain(name: str, values: dict[str, Any]) -> Any:
    """Return the value of an object of a known class."""
    kind = name.removeprefix("java.lang.").removeprefix("java.math.")
    if kind == "Long":
        return JavaLong(values["value"])
    if kind in ("Integer", "Short", "Byte", "Double", "Float", "Boolean"):
        return values["value"]
    if kind == "BigInteger":
        return JavaBigInteger(values["signum"] * int.from_bytes(values["magnitude"], "big"))
    if kind == "BigDecimal":
        return Decimal(values["intVal"]).scaleb(-values["scale"])
    raise ValueError(f"an object of class {name}")


def _fits(value: Any, bits: int) -> bool:
    return isinstance(value, float) or -(1 << bits - 1) <= value < 1 << bits - 1


def _modified_utf8(text: str) -> bytes:
    """Return Java's form of UTF-8: surrogates one by one, and no zero byte."""
    units = struct.iter_unpack(">H", text.encode("utf-16-be", "surrogatepass"))
    joined = "".join(chr(unit) for (unit,) in units).encode("utf-8", "surrogatepass")
    return joined.replace(b"\0", b"\xc0\x80")


def _from_modified_utf8(data: bytes) -> str:
    units = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return units.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
