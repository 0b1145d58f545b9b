"""Compiles Connect schemas to functions that write values in Avro's binary encoding.

An optional value is a union: of null and the type, or of the type and null where there is a
default, which also stands for a null. The functions equal what Java's converters write.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from connector.converters.avro import binary
from connector.converters.avro.schemas import AvroDialect, has_string_keys
from connector.converters.compiled_fields import compile_fields, field_error
from connector.converters.varints import GROUP, LAST, MASK, MORE
from connector.data.fragments import Encode, EncodeValue
from connector.data.java_hashes import hash_map_order
from connector.data.schema import Schema
from connector.errors import ConversionError
from connector.names import CONNECT_DECIMAL

# Up to how many bits numbers are written without a call: one look-up and further groups of bits.
_INTEGERS: Final = {"int16": (), "int32": (27,), "int64": (27, 41, 55)}
FIRST: Final = b"\x00"  # the branches of a union
SECOND: Final = b"\x02"
_tables: Final = cache(binary.tables)


def has_default(schema: Schema) -> bool:
    """Whether a default stands first in the union of an optional schema."""
    return schema.default is not None and schema.type != "struct"


def present(schema: Schema) -> bytes:
    """Return the branch of a value that is not null; nothing for a required schema."""
    if not schema.optional:
        return b""
    return FIRST if has_default(schema) else SECOND


def null_branch(schema: Schema) -> bytes:
    """Return the branch of null.

    :raises ConversionError: the schema allows no null.
    """
    if not schema.optional:
        raise ConversionError("Found null value for non-optional schema")
    return SECOND if has_default(schema) else FIRST


class Encoder:
    """Writes values; ``defaults`` writes a default where there is a null."""

    def __init__(self, dialect: AvroDialect, *, defaults: bool = True) -> None:
        self._dialect = dialect
        self._defaults = defaults

    def null(self, schema: Schema) -> bytes:
        """Return what stands for null.

        :raises ConversionError: the schema allows no null.
        """
        if schema.default is not None and self._defaults:
            return present(schema) + self._plain(schema)(schema.default)
        return null_branch(schema)

    def value(self, schema: Schema) -> EncodeValue:
        """Return the function for a value of the schema, with its branch."""
        plain, branch = self._plain(schema), present(schema)

        def encode(value: Any) -> bytes:
            return self.null(schema) if value is None else branch + plain(value)

        return encode

    def _element(self, schema: Schema) -> EncodeValue:
        """Return the function for a value in an array or map: a null there stays null."""
        plain, branch = self._plain(schema), present(schema)
        return lambda value: null_branch(schema) if value is None else branch + plain(value)

    def row(self, schema: Schema) -> Encode:
        """Return the function that writes a struct from the values of its first fields."""
        return self._members(schema, 0, len(schema.fields))

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return the function that writes some fields from the values of all."""
        return self._members(schema, start, stop)

    def _members(self, schema: Schema, start: int, stop: int) -> Encode:
        """Compile the fields to one function; only a failure looks at them one by one."""
        names: dict[str, Any] = {}
        fields = schema.fields

        def write(index: int, value: Any) -> object:
            return self.value(fields[index].schema)(value)

        parts = [
            self._expression(fields[index].schema, f"row[{index}]", names, index)
            for index in range(start, stop)
        ]
        return compile_fields(
            parts,
            names,
            lambda row: field_error("Avro", schema, range(start, stop), row, write),
        )

    def _expression(self, schema: Schema, value: str, names: dict[str, Any], number: int) -> str:
        """Return the source that writes a field's value, null included: one member or two."""
        first = f"(v{number} := {value})"
        if (schema.default is not None and self._defaults) or schema.optional:
            names[f"z{number}"] = self.null(schema)
            present, *rest = self._sources(schema, f"v{number}", f"v{number}", names, number)
            members = [f"(z{number} if {first} is None else {present})"]
            members += [f"(b'' if v{number} is None else {member})" for member in rest]
            return ", ".join(members)
        return ", ".join(self._sources(schema, f"v{number}", first, names, number))

    def _sources(
        self, schema: Schema, value: str, first: str, names: dict[str, Any], number: int
    ) -> list[str]:
        """Return the sources for a value that is not null, with its branch.

        A null ends as an error of the expression. ``first`` stands where the value is used first.
        """
        branch = present(schema)
        names[f"b{number}"] = branch
        if schema.name == CONNECT_DECIMAL:
            return [self._decimal(value, first, names, number, branch)]
        if schema.type in _INTEGERS:
            return [_integer(schema.type, value, first, names, number, branch)]
        if schema.type in ("string", "bytes"):
            names[f"i{number}"] = _tables(branch)[0]
            names["long"] = binary.long
            data = f"{first}.encode()" if schema.type == "string" else first
            length = (
                f"(i{number}[n] if (n := len(e{number} := {data})) < {binary.TABLE} "
                f"else b{number} + long(n))"
            )
            return [length, f"e{number}"]  # joined as they are, which saves a copy
        if schema.type in ("float32", "float64"):
            wide = schema.type == "float64"
            if not branch:
                names[f"f{number}"] = binary.DOUBLE if wide else binary.FLOAT
                return [f"f{number}({first})"]
            names[f"f{number}"] = binary.BRANCH_DOUBLE if wide else binary.BRANCH_FLOAT
            return [f"f{number}({branch[0]}, {first})"]
        if schema.type == "boolean":
            names[f"f{number}"] = {key: branch + data for key, data in binary.BOOLEANS.items()}
            return [f"f{number}[{first}]"]
        names[f"f{number}"] = self._plain(schema)
        return [f"b{number} + f{number}({first})" if branch else f"f{number}({first})"]

    def _decimal(
        self, value: str, first: str, names: dict[str, Any], number: int, branch: bytes
    ) -> str:
        """Return the source for an unscaled decimal: its bytes behind their number."""
        names[f"i{number}"] = _tables(branch)[0]
        names[f"f{number}"] = binary.decimal
        bits = f"({value} if {first} >= 0 else ~{value}).bit_length()"
        return (
            f"(i{number}[n] + {value}.to_bytes(n, 'big', signed=True) "
            f"if (n := ({bits} >> 3) + 1) < {binary.TABLE} else b{number} + f{number}({value}))"
        )

    def _plain(self, schema: Schema) -> EncodeValue:
        """Return the function for values of a schema, without branch and without null."""
        if schema.name == CONNECT_DECIMAL:
            return binary.decimal
        if schema.type in _PLAIN:
            return _PLAIN[schema.type]
        if schema.type == "struct":
            names = [field.name for field in schema.fields]
            row = self.row(schema)
            return lambda struct: row([struct.get(name) for name in names])
        assert schema.items is not None
        items = self._element(schema.items)
        if schema.type == "array":
            return lambda values: _block([items(value) for value in values])
        assert schema.keys is not None
        if has_string_keys(schema, self._dialect):  # Java puts them into a HashMap
            return lambda pairs: _block(
                [_string(key) + items(pairs[key]) for key in hash_map_order(pairs)]
            )
        keys = self._element(schema.keys)
        return lambda pairs: _block([keys(key) + items(item) for key, item in pairs.items()])


def _integer(
    kind: str, value: str, first: str, names: dict[str, Any], number: int, branch: bytes
) -> str:
    """Return the source for a number: look-ups, since a call takes longer than all of them.

    Numbers that are negative, or that may not fit their type, are written by a call.
    """
    names[f"i{number}"], names[f"m{number}"] = _tables(branch)
    names[f"f{number}"] = _PLAIN[kind]
    names["last"], names["more"] = LAST, MORE
    slow = f"b{number} + f{number}({value})" if branch else f"f{number}({value})"
    low = f"m{number}[{value} & {binary.TABLE - 1}]"
    groups, ways = "", []
    for bits in _INTEGERS[kind]:
        written = f"{low}{groups} + last[{value} >> {bits - GROUP}]"
        ways.append(f"else {written} if 0 <= {value} < {1 << bits} ")
        groups += f" + more[{value} >> {bits - GROUP} & {MASK}]"
    return f"(i{number}[{value}] if 0 <= {first} < {binary.TABLE} {''.join(ways)}else {slow})"


def _block(items: list[bytes]) -> bytes:
    """Return the items of an array or map in one block."""
    return binary.long(len(items)) + b"".join(items) + b"\x00" if items else b"\x00"


def _string(value: str) -> bytes:
    return _bytes(value.encode())


def _bytes(value: bytes) -> bytes:
    return binary.long(len(value)) + value


_PLAIN: Final[dict[str, EncodeValue]] = {
    "boolean": binary.BOOLEANS.__getitem__,
    "int8": binary.BYTES_8.__getitem__,
    "int16": binary.short,
    "int32": binary.integer,
    "int64": binary.long,
    "float32": binary.FLOAT,
    "float64": binary.DOUBLE,
    "string": _string,
    "bytes": _bytes,
}
