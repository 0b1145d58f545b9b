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
from connector.mysql.custom_converters.selecting import build_codec, flag, selector, then
from connector.mysql.types import codec_of, fields
from connector.mysql.types.encodings import UTF8_TEXT
from connector.mysql.types.fields import LogField, Wire, byte_string, layout, real_string_type
from connector.mysql.types.type_options import TypeOptions

_TRUTH = Expression("({} > 0) * 1")
_CHOICE = Expression("str(int.from_bytes({}, 'little'))")


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
            (selector(settings, f"selector.{name}", default=False), build)
            for name, build in (
                ("boolean", self._boolean),
                ("real", self._floating),
                ("string", self._text),
            )
        )

    def codec(self, table: TableId, column: Column) -> ColumnCodec | None:
        """Return how the column is read if a selector names it."""
        build = next((build for selects, build in self._kinds if selects(table, column)), None)
        plain = codec_of(column, replace(self._options, decimal="double")) if build else None
        return build(column, plain) if build and plain else None

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
