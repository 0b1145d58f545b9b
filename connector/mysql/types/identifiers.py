"""MariaDB's UUID and its addresses INET4 and INET6."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial
from uuid import UUID

from connector.capture.tables import Column
from connector.codegen import Expression, call
from connector.data import semantic
from connector.data.schema import STRING, Schema
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import byte_string
from connector.mysql.types.type_options import TypeOptions

_Text = Callable[[bytes], str]
_FORMS: dict[str, tuple[Schema, int, _Text]] = {
    "UUID": (semantic.UUID, 16, lambda data: str(UUID(bytes=data))),
    "INET4": (STRING, 4, partial(socket.inet_ntop, socket.AF_INET)),
    "INET6": (STRING, 16, partial(socket.inet_ntop, socket.AF_INET6)),
}
NAMES = tuple(_FORMS)


def identifier(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a column that is text in a result set and bytes in a row image.

    The row image lacks zero bytes at the end; Debezium puts those of a UUID to its front. It
    gives these columns no default, and does not know INET4 and INET6 at all.
    """
    name = column.type_name.upper()
    schema, size, text = _FORMS[name]
    pad = bytes.rjust if name == "UUID" and not options.exact else bytes.ljust
    convert = call(lambda data: text(pad(data, size, b"\0")))
    return ColumnType(
        schema,
        Expression("{}.decode()"),
        lambda wire: byte_string(wire, convert, name),
        lambda _: None,
        "",
    )
