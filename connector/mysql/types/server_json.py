"""Binary JSON to text as the server writes it itself (`wrapper_to_string` of its JSON values).

Documents become trees first: what is streamed in this form is the same as a SELECT shows.
"""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

from connector.mysql.types import fields
from connector.mysql.types.binary_json import (
    DOUBLE,
    DOUBLE_VALUE,
    ESCAPES,
    OPAQUE,
    STRING,
    date_text,
    json_tree,
    length_at,
    packed_value,
    quoted,
    scalar,
    tree_text,
)
from connector.mysql.types.decimals import decimal_decoder, plain_text
from connector.mysql.types.fields import DocumentText

_ESCAPES = {code: text.lower() for code, text in ESCAPES.items()}
_MOST_PLACES = 15  # of zeros; for more of them the server writes an exponent
_LINE = 76  # characters of base64 in a line


def server_text(data: bytes) -> str:
    """Return a binary document as the server's text.

    :raises ConversionError: when the bytes are no binary JSON.
    """
    return _text(_tree(data))


def _tree(data: bytes) -> Any:
    return json_tree(data, _leaf)


def _text(node: Any) -> str:
    return tree_text(node, _ESCAPES, " ")


SERVER = DocumentText(_tree, _text)


def _leaf(kind: int, data: bytes, start: int) -> str:
    if kind == STRING:
        length, start = length_at(data, start)
        return quoted(data[start : start + length].decode("utf-8", "replace"), _ESCAPES)
    if kind == DOUBLE:
        return double_text(DOUBLE_VALUE.unpack_from(data, start)[0])
    if kind == OPAQUE:
        length, body = length_at(data, start + 1)
        return _opaque(data[start], data[body : body + length])
    return scalar(kind, data, start)


def double_text(value: float) -> str:
    """Return the shortest text of a number, with an exponent where the server writes one."""
    if 1e-4 <= abs(value) < 10**_MOST_PLACES or not value:
        return repr(value)
    sign, numerals, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, numerals))
    point = len(digits) + int(exponent)
    return "-" * sign + _place_point(digits, point)


def _place_point(digits: str, point: int) -> str:
    """Write digits whose decimal point stands behind so many of them."""
    if -_MOST_PLACES < point <= 0:
        return f"0.{'0' * -point}{digits}"
    if 0 < point < len(digits):
        return f"{digits[:point]}.{digits[point:]}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1}"


def _opaque(kind: int, data: bytes) -> str:
    if kind == fields.NEWDECIMAL:
        decode, _ = decimal_decoder(data[0], data[1])
        return plain_text(decode(data[2:]), data[1])
    if kind == fields.VAR_STRING:
        return quoted(data.decode("utf-8", "replace"), _ESCAPES)
    if kind in _TEMPORAL:
        return f'"{_TEMPORAL[kind](packed_value(data))}"'
    encoded = base64.b64encode(data).decode("ascii")
    lines = [encoded[start : start + _LINE] for start in range(0, len(encoded), _LINE)]
    return quoted(f"base64:type{kind}:" + "\n".join(lines), _ESCAPES)


def _date(packed: int) -> str:
    return date_text(packed >> 41)


def _time(packed: int) -> str:
    sign, packed = ("-", -packed) if packed < 0 else ("", packed)
    return f"{sign}{_clock(packed, 1023)}"


def _datetime(packed: int) -> str:
    return f"{_date(packed)} {_clock(packed, 31)}"


def _clock(packed: int, hours: int) -> str:
    clock, micros = packed >> 24, packed & 0xFFFFFF
    hour, minute, second = clock >> 12 & hours, clock >> 6 & 63, clock & 63
    return f"{hour:02d}:{minute:02d}:{second:02d}.{micros:06d}"


_TEMPORAL = {
    fields.DATE: _date,
    fields.TIME: _time,
    fields.DATETIME: _datetime,
    fields.TIMESTAMP: _datetime,
}
