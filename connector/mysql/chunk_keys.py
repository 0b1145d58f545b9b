"""The columns by which a table is read in chunks: their order in SQL, and their values.

A column is compared as it is where the server's order and comparison agree. ENUM and SET are
ordered by number but compared as text, FLOAT is not equal to its own text: such columns are read
through an expression, in ``ORDER BY`` and ``WHERE`` alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from connector.capture.columns import ColumnCodec
from connector.capture.incremental.chunk_source import Key
from connector.capture.tables import Column
from connector.codegen import call
from connector.data.java_object_stream import JavaBigInteger, JavaLong
from connector.data.schema import BYTES
from connector.mysql.session.connection import quote

Literal = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class ChunkKey:
    """One column of a key: its expression in SQL, and how to read the server's text of it."""

    sql: str
    read: Callable[[bytes], Any]
    nullable: bool = False


def chunk_key(column: Column) -> ChunkKey:
    """Return how a column is read as part of a key."""
    name, type_name = quote(column.name), column.type_name.upper()
    words = type_name.split() or [""]
    sql, read = _KINDS.get(words[0].partition("(")[0], (None, _text))
    if read is int and "UNSIGNED" in words:
        read = JavaLong
    if words[0] in ("BIGINT", "SERIAL"):
        is_unsigned = words[0] == "SERIAL" or "UNSIGNED" in words
        read = JavaBigInteger if is_unsigned else JavaLong
    return ChunkKey((sql or "{}").replace("{}", name), read, column.optional)


def key_codecs(keys: Sequence[ChunkKey]) -> Iterator[ColumnCodec]:
    """Yield codecs that read the values of a key; no column of the table has their names."""
    for number, key in enumerate(keys):
        column = Column(f"key {number} of the chunk", "VARBINARY", 0)
        yield ColumnCodec(column, BYTES, call(key.read), None)


def conditions(
    keys: Sequence[ChunkKey], after: Key | None, until: Key | None, literal: Literal
) -> str:
    """Return the condition for rows behind a key and not behind another one; None is no bound."""
    bounds = [] if after is None else [behind(keys, after, literal)]
    if until is not None:
        bounds.append(f"NOT {behind(keys, until, literal)}")
    return " AND ".join(bounds)


def behind(keys: Sequence[ChunkKey], values: Key, literal: Literal) -> str:
    """Return the condition that the key of a row is greater than some values.

    NULL is the first value in the order of the server.
    """
    parts = []
    for number, (key, value) in enumerate(zip(keys, values, strict=True)):
        equal = [_equals(*pair, literal) for pair in zip(keys[:number], values, strict=False)]
        parts.append("(" + " AND ".join([*equal, _greater(key, value, literal)]) + ")")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def equals(keys: Sequence[ChunkKey], values: Key, literal: Literal) -> str:
    """Return the condition that the key of a row equals some values."""
    return " AND ".join(_equals(*pair, literal) for pair in zip(keys, values, strict=True))


def _greater(key: ChunkKey, value: Any, literal: Literal) -> str:
    return f"{key.sql} IS NOT NULL" if value is None else _compare(key, ">", value, literal)


def _equals(key: ChunkKey, value: Any, literal: Literal) -> str:
    return f"{key.sql} IS NULL" if value is None else _compare(key, "=", value, literal)


def _compare(key: ChunkKey, operator: str, value: Any, literal: Literal) -> str:
    """Return a comparison that is false for NULL, not unknown: it may be negated."""
    compared = f"{key.sql} {operator} {_literal(value, literal)}"
    return f"({compared} AND {key.sql} IS NOT NULL)" if key.nullable else compared


def _literal(value: Any, literal: Literal) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, float):
        return repr(value)
    return literal(value)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _decimal(data: bytes) -> Decimal:
    return Decimal(data.decode())


_LABEL: Final = "CAST(CONVERT({} USING utf8mb4) AS BINARY)"
_KINDS: Final[dict[str, tuple[str | None, Callable[[bytes], Any]]]] = {
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "INTEGER", "YEAR", "BOOLEAN", "BOOL"),
        (None, int),
    ),
    **dict.fromkeys(("BIGINT", "SERIAL"), (None, JavaLong)),
    **dict.fromkeys(("DECIMAL", "NUMERIC", "FIXED", "DEC"), (None, _decimal)),
    **dict.fromkeys(("FLOAT", "DOUBLE", "REAL"), ("({} + 0e0)", float)),
    "BIT": ("({} + 0)", JavaLong),
    **dict.fromkeys(("ENUM", "SET"), (_LABEL, bytes)),
    **dict.fromkeys(
        ("BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"), (None, bytes)
    ),
}
