"""Debezium's JdbcSinkDataTypesConverter: types that its JDBC sink can distinguish."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column, TableId
from connector.codegen import Expression, call
from connector.data.java import to_float32
from connector.data.schema import FLOAT32, FLOAT64, INT16, STRING, Schema
from connector.errors import StopError
from connector.mysql.custom_converters.selecting import build_codec, flag, selector, then
from connector.mysql.types import (
    binaries,
    bits,
    codec_of,
    decimals,
    fields,
    first_word,
    floats,
    integers,
    strings,
)
from connector.mysql.types.encodings import UTF8_TEXT
from connector.mysql.types.fields import LogField, Wire, byte_string, layout, real_string_type
from connector.mysql.types.type_options import TypeOptions

_TRUTH = Expression("({} > 0) * 1")
_CHOICE = Expression("str(int.from_bytes({}, 'little'))")
_NUMBERS = frozenset((*integers.NAMES, *floats.NAMES, *decimals.NAMES, "BOOL", "BOOLEAN"))
_TEXTS = frozenset(name.split()[0] for name in (*strings.NAMES, *binaries.NAMES, "ENUM", "SET"))


class JdbcSinkDataTypes:
    """Settings: ``selector.boolean``, ``selector.real``, ``selector.string`` for the columns
    that become int16, float64 (float32 with ``treat.real.as.double=false``), and strings whose
    schema has the character set.
    """

    def __init__(self, settings: Mapping[str, str], options: TypeOptions) -> None:
        self._options = options
        real: tuple[Schema, Callable[[Any], float]] = (
            (FLOAT64, float)
            if flag(settings, "treat.real.as.double", default=True)
            else (FLOAT32, lambda value: to_float32(float(value)))
        )
        self._real = real
        self._kinds = tuple(
            (name, selector(settings, f"selector.{name}", default=False), build)
            for name, build in (
                ("boolean", self._boolean),
                ("real", self._floating),
                ("string", self._text),
            )
        )

    def codec(self, table: TableId, column: Column) -> ColumnCodec | None:
        """Return how the column is read if a selector names it.

        :raises StopError: its type has no such values.
        """
        for name, selects, build in self._kinds:
            if selects(table, column):
                _check_type(table, column, name)
                plain = codec_of(column, replace(self._options, decimal="double"))
                return build(column, plain) if plain else None
        return None

    def _boolean(self, column: Column, plain: ColumnCodec) -> ColumnCodec:
        default = plain.schema.default
        return build_codec(
            column,
            INT16,
            plain.from_text.then(_TRUTH),
            then(plain.from_log, _TRUTH),
            None if default is None else int(default > 0),
            fallback=0,
        )

    def _floating(self, column: Column, plain: ColumnCodec) -> ColumnCodec:
        schema, convert = self._real
        default = plain.schema.default
        codec = build_codec(
            column,
            schema,
            plain.from_text.then(call(convert)),
            then(plain.from_log, call(convert)),
            None if default is None else convert(default),
            fallback=0.0,
        )
        if plain.select is None:
            return codec
        read = plain.select.from_text.then(call(convert))
        return codec.with_changes(select=replace(plain.select, from_text=read))

    def _text(self, column: Column, plain: ColumnCodec) -> ColumnCodec:
        """Read a text; from the log it is taken to be UTF-8, whatever the column's charset.

        Not so where values are exact. The log has a number for an ENUM or a SET, of which the
        digits are written.
        """
        parameters = {"__debezium.source.column.character_set": column.charset or ""}
        schema = STRING.with_changes(parameters=parameters)

        def field(wire: Wire) -> LogField:
            if real_string_type(wire)[0] in (fields.ENUM, fields.SET):
                return replace(layout(wire), convert=_CHOICE)
            return byte_string(wire, UTF8_TEXT, column.type_name)

        from_log = plain.from_log if self._options.exact else field
        codec = build_codec(column, schema, UTF8_TEXT, from_log, plain.schema.default, fallback="")
        return codec.with_changes(select=plain.select)


def _check_type(table: TableId, column: Column, kind: str) -> None:
    """Refuse a column of another kind, of which Debezium publishes 0 or parts of its values."""
    name = first_word(column)
    is_bit = name in bits.NAMES and kind == "boolean" and (column.length or 1) == 1
    if not is_bit and name not in (_TEXTS if kind == "string" else _NUMBERS):
        raise StopError(
            f"The converter's selector.{kind} names column {table}.{column.name}, which is"
            f" {column.type_name}.",
            f"Let selector.{kind} name {'texts' if kind == 'string' else 'numbers'} only.",
        )
