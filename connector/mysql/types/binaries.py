"""BINARY, VARBINARY and the BLOB types."""

from __future__ import annotations

import base64
from collections.abc import Callable

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import BYTES, STRING, Schema
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import byte_string
from connector.mysql.types.type_options import TypeOptions

NAMES = ("BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB")
_TO_TEXT: dict[str, Callable[[bytes], str]] = {
    "base64": lambda data: base64.b64encode(data).decode("ascii"),
    "base64-url-safe": lambda data: base64.urlsafe_b64encode(data).decode("ascii"),
    "hex": lambda data: data.hex(),
}


def binary(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a binary column in the mode of ``binary.handling.mode``.

    The binlog strips the zero bytes at the end of a BINARY(n); they are put back.
    """
    padded = "{}"
    if column.type_name.upper().split()[0] == "BINARY" and column.length:
        padded = f"{{}}.ljust({column.length}, b'\\0')"
    if options.binary == "bytes":
        native = ("bytes",) if padded == "{}" else ("padded", column.length)
        convert = Expression(padded, native=native)
        schema: Schema = BYTES
        fallback: bytes | str = b""
        encode: Callable[[bytes], bytes | str] = bytes
    else:
        encode = _TO_TEXT[options.binary]
        convert = Expression(f"@encode({padded})", {"encode": encode})
        schema, fallback = STRING, ""
    return ColumnType(
        schema,
        convert,
        lambda wire: byte_string(wire, convert, column.type_name),
        lambda literal: encode(literal.encode()),
        fallback,
    )
