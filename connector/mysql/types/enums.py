"""ENUM and SET."""

from __future__ import annotations

import re

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.semantic import enum, enum_set
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
from connector.mysql.types.result_cache import ResultCache
from connector.mysql.types.server_charsets import server_decoder
from connector.mysql.types.type_options import TypeOptions

_ESCAPES = {
    "'": re.compile(r"\\(.)|''", re.DOTALL),
    '"': re.compile(r'\\(.)|""', re.DOTALL),
}
_ESCAPED = {
    "0": "\0",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "Z": "\x1a",
    "%": r"\%",
    "_": r"\_",
}
_INTEGER_FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}


def enumeration(column: Column, options: TypeOptions) -> ColumnType:
    """Describe an ENUM. Index 0 is the empty string MySQL stores for an invalid value."""
    labels = ("", *_labels(column, options))
    names = {"labels": dict(enumerate(labels))}
    convert = Expression("@labels.get({})", names, ("labels", *labels))
    return ColumnType(
        enum(_allowed(labels[1:], options)),
        UTF8_TEXT,
        _from_log(ENUM, "ENUM", convert),
        lambda literal: literal,
        "",
        may_be_absent=True,
    )


def option_set(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a SET: the chosen options in the order of the definition."""
    labels = _labels(column, options)

    def chosen(bitmap: int) -> str:
        return ",".join(label for bit, label in enumerate(labels) if bitmap >> bit & 1)

    return ColumnType(
        enum_set(_allowed(labels, options)),
        UTF8_TEXT,
        _from_log(
            SET,
            "SET",
            Expression("@chosen[{}]", {"chosen": ResultCache(chosen)}, ("options", *labels)),
        ),
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
        names = {"f": lambda data: decode(int.from_bytes(data, "little"))}
        return Fixed(f"{size}s", Expression("@f({})", names, convert.native))

    return field


def _labels(column: Column, options: TypeOptions) -> tuple[str, ...]:
    if not options.exact:
        return tuple(map(_label, column.enum_values))
    return tuple(_exact_label(literal, column.charset) for literal in column.enum_values)


def _allowed(labels: tuple[str, ...], options: TypeOptions) -> str:
    """Return the list of allowed values, with a backslash at the commas within them."""
    if options.exact:
        labels = tuple(label.replace(",", r"\,") for label in labels)
    return ",".join(labels)


def _exact_label(literal: str, charset: str | None) -> str:
    """Return an option as the server stores it: without escapes, and spaces at the end."""
    if literal[0] not in "'\"":
        digits = literal[2:].rstrip("'")
        if literal[0] in "bB" or literal[1] in "bB":
            number = int(digits or "0", 2)
            data = number.to_bytes((number.bit_length() + 7) // 8, "big")
        else:
            data = bytes.fromhex(digits.rjust(len(digits) + len(digits) % 2, "0"))
        return str(server_decoder(charset).function()(data)).rstrip(" ")
    quote = literal[0]

    def replace_escape(match: re.Match[str]) -> str:
        return _ESCAPED.get(match[1], match[1]) if match[1] else quote

    return _ESCAPES[quote].sub(replace_escape, literal[1:-1]).rstrip(" ")


def _label(quoted: str) -> str:
    r"""Return an option as the events show it, from its SQL literal.

    Debezium writes a comma inside an option as ``\,`` in the list of allowed values and, as an
    option's text comes from that list, in streamed values too.
    """
    inner = quoted[1:-1] if len(quoted) > 1 and quoted[0] in "'\"" else quoted
    return inner.replace(",", "\\,").replace("\\'", "'").replace("''", "'")
