"""Compiles Connect schemas to functions that write messages in Protobuf's encoding.

A null is not written, nor is a required value that is missing: readers see no difference to zero
unless the fields are labeled optional. A default stands for a null.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from connector.converters.compiled_fields import UNFIT, compile_fields, field_error
from connector.converters.protobuf import wire
from connector.converters.protobuf.schemas import ProtobufDialect, logical
from connector.converters.varints import LAST, MORE, varint
from connector.data.fragments import Encode, EncodeValue
from connector.data.schema import Schema
from connector.errors import ConversionError

_SHARED: Final = {
    "last": LAST,
    "more": MORE,
    "varint": varint,
    "float32": wire.FLOAT,
    "float64": wire.DOUBLE,
    "no_float32": wire.ZERO_FLOAT,
    "no_float64": wire.ZERO_DOUBLE,
}

_WITH_TABLES: Final = 256  # fields behind these are rare, and a table takes 6 KB
# Sources of values that are no messages; `#` is the number of the field. They take no call, which
# would take longer than the rest.
_INTEGER: Final = (
    "i#[v#] if 0 <= v# < 128 else t# + last[v#] if 0 <= v# < 16384 "
    "else t# + more[v# & 16383] + last[v# >> 14] if 0 <= v# < 268435456 else f#(v#)"
)
_SIZED: Final = "(i#[n] if (n := len(e := {})) < 128 else t# + varint(n)) + e"
_FLOAT: Final = "t# + p if (p := {0}(v#)) != no_{0} else b''"
_SOURCES: Final = {
    **dict.fromkeys(("int8", "int16"), "f#(v#)"),
    **dict.fromkeys(("int32", "int64"), _INTEGER),
    "boolean": "f#[v#]",
    "string": _SIZED.format("v#.encode()"),
    "bytes": _SIZED.format("v#"),
    "float32": _FLOAT.format("float32"),
    "float64": _FLOAT.format("float64"),
}
_EXPLICIT: Final = {
    **_SOURCES,
    "float32": "t# + float32(v#)",
    "float64": "t# + float64(v#)",
}


@cache
def _below_128(start: bytes, *, explicit: bool) -> tuple[bytes, ...]:
    """Return the numbers of one byte behind a tag."""
    table = tuple(start + bytes((number,)) for number in range(128))
    return table if explicit else (b"", *table[1:])


class MessageEncoder:
    """Writes messages; ``defaults`` writes a default where there is a null."""

    def __init__(self, dialect: ProtobufDialect, *, defaults: bool = True) -> None:
        self._dialect = dialect
        self._defaults = defaults

    def value(self, schema: Schema) -> EncodeValue:
        """Return the function for the message of a whole value."""
        return self._content(schema) if schema.type == "struct" else self._explained(schema)

    def row(self, schema: Schema) -> Encode:
        """Return the function that writes a struct from the values of its first fields."""
        return self.part(schema, 0, len(schema.fields))

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Compile some fields to one function; only a failure looks at them one by one."""
        names: dict[str, Any] = dict(_SHARED)
        fields = schema.fields
        parts = [
            self._expression(fields[index].schema, index, names) for index in range(start, stop)
        ]

        def write(index: int, value: Any) -> object:
            return None if value is None else self._member(fields[index].schema, index + 1)(value)

        return compile_fields(
            parts,
            names,
            lambda row: field_error("Protobuf", schema, range(start, stop), row, write),
        )

    def _explained(self, schema: Schema) -> EncodeValue:
        """Return the function for a single value as the whole: the content of a wrapper."""
        write = wire.single(schema.type, 1, explicit=False)

        def encode(value: Any) -> bytes:
            try:
                return write(value)
            except UNFIT as error:
                raise ConversionError(
                    f"A value of type {schema.type} cannot be written as Protobuf: "
                    f"{type(error).__name__}"
                ) from None

        return encode

    def _expression(self, schema: Schema, index: int, names: dict[str, Any]) -> str:
        """Return the source that writes a field, null included."""
        explicit = self._dialect.optional and schema.optional
        absent = b""
        if schema.default is not None and self._defaults:
            absent = self._member(schema, index + 1)(schema.default)
        names[f"z{index}"] = absent
        names[f"f{index}"] = self._member(schema, index + 1)
        written = "f#(v#)"
        if index < _WITH_TABLES and schema.type in _SOURCES and not self._is_message(schema):
            start = wire.tag(index + 1, schema.type)
            table = _below_128(start, explicit=explicit)
            names |= {f"t{index}": start, f"i{index}": table}
            if schema.type == "boolean":
                names[f"f{index}"] = {False: table[0], True: table[1]}
            written = (_EXPLICIT if explicit else _SOURCES)[schema.type]
        return f"(z# if (v# := row[#]) is None else {written})".replace("#", str(index))

    def _member(self, schema: Schema, number: int, *, in_pair: bool = False) -> EncodeValue:
        """Return the function for a field with a value that is not null."""
        if schema.type == "array":
            assert schema.items is not None
            return self._list(schema.items, number)
        if schema.type == "map":
            return self._map(schema, number)
        if self._is_message(schema):
            return wire.message(number, self._content(schema))
        explicit = self._dialect.optional and schema.optional and not in_pair
        return wire.single(schema.type, number, explicit=explicit)

    def _is_message(self, schema: Schema) -> bool:
        return schema.type == "struct" or logical(schema) or self._dialect.is_wrapped(schema)

    def _content(self, schema: Schema) -> EncodeValue:
        """Return the function for the content of a message."""
        written = wire.logical(schema)
        if written is not None:
            return written
        if schema.type != "struct":
            return wire.single(schema.type, 1, explicit=False)
        names = [field.name for field in schema.fields]
        row = self.row(schema)
        return lambda struct: row([struct.get(name) for name in names])

    def _list(self, items: Schema, number: int) -> EncodeValue:
        if self._is_message(items):
            item = wire.message(number, self._content(items))
        else:
            packed = wire.packed(items.type, number)
            if packed is not None:
                return _without_nulls(packed) if items.optional else packed
            item = wire.single(items.type, number, explicit=True)
        return lambda values: b"".join([item(_present(value)) for value in values])

    def _map(self, schema: Schema, number: int) -> EncodeValue:
        assert schema.keys is not None
        assert schema.items is not None
        keys = self._member(schema.keys, 1, in_pair=True)
        items = self._member(schema.items, 2, in_pair=True)

        def pair(key: Any, value: Any) -> bytes:
            written = b"" if key is None else keys(key)
            return written if value is None else written + items(value)

        start = wire.tag(number, "map")
        return lambda pairs: b"".join(
            [wire.sized(start, pair(key, value)) for key, value in pairs.items()]
        )


def _without_nulls(encode: EncodeValue) -> EncodeValue:
    return lambda values: encode([_present(value) for value in values])


def _present(value: Any) -> Any:
    if value is None:
        raise ConversionError("Protobuf allows no null in an array")
    return value
