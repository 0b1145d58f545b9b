"""Column types: which family describes a column. One line a type name."""

from __future__ import annotations

import re
from dataclasses import replace

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import Schema
from connector.data.semantic import JSON
from connector.mysql.types import (
    binaries,
    bits,
    dates,
    datetimes,
    decimals,
    enums,
    floats,
    geometries,
    identifiers,
    integers,
    jsons,
    strings,
    times,
    timestamps,
    vectors,
)
from connector.mysql.types.defaults import default_value
from connector.mysql.types.family import ColumnType, Family
from connector.mysql.types.fields import LogField, Wire
from connector.mysql.types.type_options import TypeOptions

FAMILIES: dict[str, Family] = {
    **dict.fromkeys(integers.NAMES, integers.integer),
    "BOOL": integers.boolean,
    "BOOLEAN": integers.boolean,
    **dict.fromkeys(floats.NAMES, floats.floating),
    **dict.fromkeys(decimals.NAMES, decimals.number),
    **dict.fromkeys(bits.NAMES, bits.bit),
    **dict.fromkeys(strings.NAMES, strings.text),
    **dict.fromkeys(binaries.NAMES, binaries.binary),
    "LONG VARBINARY": binaries.binary,
    "YEAR": dates.year,
    "DATE": dates.date,
    "TIME": times.time,
    "DATETIME": datetimes.datetime,
    "TIMESTAMP": timestamps.timestamp,
    "ENUM": enums.enumeration,
    "SET": enums.option_set,
    "JSON": jsons.document,
    **dict.fromkeys(geometries.NAMES, geometries.geometry),
    "POINT": geometries.point,
    **dict.fromkeys(vectors.NAMES, vectors.vector),
    **dict.fromkeys(identifiers.NAMES, identifiers.identifier),
}
_WORDS = re.compile(r"[A-Z0-9_]+")


def codec_of(column: Column, options: TypeOptions) -> ColumnCodec | None:
    """Return how a column is read, or None when its type has no place in the events."""
    kind = column_type(column, options)
    if kind is None:
        return None
    default = default_value(column, kind, fails=options.on_failure == "fail")
    doc = column.comment or kind.schema.doc
    schema = kind.schema.with_changes(
        optional=column.optional or kind.schema.optional, doc=doc, default=default
    )
    absent = None if column.optional else (kind.fallback if default is None else default)
    unavailable = _unavailable(schema, options.placeholder, absent)
    if not kind.may_be_absent or column.optional:
        both = kind.from_text, kind.from_log
        return ColumnCodec(column, schema, *both, absent, unavailable, select=kind.select)

    def from_log(wire: Wire) -> LogField:
        field = kind.from_log(wire)
        return replace(field, convert=_or_absent(field.convert, absent))

    from_text = _or_absent(kind.from_text, absent)
    return ColumnCodec(column, schema, from_text, from_log, absent, unavailable)


def column_type(column: Column, options: TypeOptions) -> ColumnType | None:
    """Return the description of a column's type by its name."""
    words = _WORDS.findall(column.type_name.upper())
    family = FAMILIES.get(" ".join(words[:2])) or FAMILIES.get(words[0])
    return family(column, options) if family else None


def first_word(column: Column) -> str:
    """Return the first word of a column's type, in capitals."""
    return str(_WORDS.findall(column.type_name.upper())[0])


def _unavailable(schema: Schema, placeholder: bytes, absent: object) -> object:
    """Return what stands for a value that is not in the log: a text or bytes that say so."""
    if schema.type == "string" and schema.name in (None, JSON.name):
        return placeholder.decode("utf-8", "replace")
    if schema.type == "bytes" and schema.name is None:
        return placeholder
    return absent


def _or_absent(convert: Expression, absent: object) -> Expression:
    """Put a stand-in where the conversion gives None."""
    template = f"(@absent if (value := {convert.template}) is None else value)"
    return Expression(template, {**convert.names, "absent": absent}, convert.native)
