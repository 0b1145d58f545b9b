"""Reads Java's serialized form of an ``Object[]`` of values."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

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
    STRING,
    WRITES,
    JavaBigInteger,
    JavaLong,
    from_modified_utf8,
)


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
        if self._take(4) != MAGIC:
            raise ValueError("not a stream of serialized objects")
        return self._value()

    def _value(self) -> Any:
        kind = self._take(1)[0]
        if kind == NULL:
            return None
        if kind == REFERENCE:
            return self._numbered[self._unpack(">i") - FIRST_NUMBER]
        if kind in (STRING, LONG_STRING):
            text = from_modified_utf8(self._take(self._unpack(">H" if kind == STRING else ">q")))
            self._numbered.append(text)
            return text
        if kind == ARRAY:
            return self._array()
        if kind == OBJECT:
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
                values[name] = self._unpack(FORMATS[kind]) if kind in FORMATS else self._value()
            if one.flags & WRITES and self._take(1)[0] != END:
                raise ValueError(f"an object of class {described.name}")
        self._numbered[number] = value = _plain(described.name, values)
        return value

    def _class(self) -> _Described | None:
        kind = self._take(1)[0]
        if kind == NULL:
            return None
        if kind == REFERENCE:
            found = self._numbered[self._unpack(">i") - FIRST_NUMBER]
            if not isinstance(found, _Described):
                raise ValueError("a reference to a class that is none")
            return found
        if kind != CLASS:
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
        if self._take(1)[0] != END:
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
