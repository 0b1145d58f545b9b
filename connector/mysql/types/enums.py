"""ENUM and SET."""

from __future__ import annotations

from connector.capture.columns import Expression, call
from connector.capture.tables import Column
from connector.data.semantic import enum, enum_set
from connector.mysql.options import TypeOptions
from connector.mysql.remembered import Remembered
from connector.mysql.types.encodings import UTF8_TEXT
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import (
    ENUM,
    SET,
    Fixed,
    FromLog,
    LogField,
    Wire,
    mismatch,
    real_string_type,
)

_INTEGER_FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}


def enumeration(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe an ENUM. Index 0 is the empty string MySQL stores for an invalid value."""
    labels = ("", *map(_label, column.enum_values))
    convert = Expression("@labels.get({})", {"labels": dict(enumerate(labels))})
    return ColumnType(
        enum(",".join(labels[1:])),
        UTF8_TEXT,
        _from_log(ENUM, "ENUM", convert),
        lambda literal: literal,
        "",
        may_be_absent=True,
    )


def option_set(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe a SET: the chosen options in the order of the definition."""
    labels = tuple(map(_label, column.enum_values))

    def chosen(bitmap: int) -> str:
        return ",".join(label for bit, label in enumerate(labels) if bitmap >> bit & 1)

    return ColumnType(
        enum_set(",".join(labels)),
        UTF8_TEXT,
        _from_log(SET, "SET", Expression("@chosen[{}]", {"chosen": Remembered(chosen)})),
        lambda literal: literal,
        "",
    )


def _from_log(kind: int, expected: str, convert: Expression) -> FromLog:
    def field(wire: Wire) -> LogField:
        real, size = real_string_type(wire)
        if real != kind:
            raise mismatch(expected, wire)
        if size in _INTEGER_FORMATS:
            return Fixed(_INTEGER_FORMATS[size], convert)
        decode = convert.function()
        return Fixed(f"{size}s", call(lambda data: decode(int.from_bytes(data, "little"))))

    return field


def _label(quoted: str) -> str:
    r"""Return an option as the events show it, from its SQL literal.

    Debezium writes a comma inside an option as ``\,`` in the list of allowed values and, as an
    option's text comes from that list, in streamed values too.
    """
    inner = quoted[1:-1] if len(quoted) > 1 and quoted[0] in "'\"" else quoted
    return inner.replace(",", "\\,").replace("\\'", "'").replace("''", "'")
