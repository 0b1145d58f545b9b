"""Which changes of a column's definition keep the values of all rows.

MySQL converts existing rows without events. The sink knows their new values only if the new type
holds each former value unchanged; others are rounded, cut or padded, depending on the types and on
``sql_mode``. Strict modes refuse some of these statements, but the sink cannot know the mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sparksink.schemas.defined_columns import DefinedColumn

_INTEGER_BITS: Final = {"TINYINT": 8, "SMALLINT": 16, "MEDIUMINT": 24, "INT": 32, "BIGINT": 64}
_TEXT_BYTES: Final = {"TINYTEXT": 8, "TEXT": 16, "MEDIUMTEXT": 24, "LONGTEXT": 32}
"""Types of text → bits of the length in bytes."""
_BLOB_BYTES: Final = {"TINYBLOB": 8, "BLOB": 16, "MEDIUMBLOB": 24, "LONGBLOB": 32}
_CHARACTERS: Final = frozenset({"CHAR", "VARCHAR", *_TEXT_BYTES})
_BINARY: Final = frozenset({"BINARY", "VARBINARY", *_BLOB_BYTES})
_UNICODE: Final = frozenset({"utf8mb4", "utf16", "utf16le", "utf32"})
_UNICODE_BMP: Final = frozenset({"utf8", "utf8mb3", "ucs2"})
_CHARACTER_BYTES: Final = 4
"""The longest character of any character set."""


def keeps_values(before: DefinedColumn, after: DefinedColumn) -> bool:
    """Return whether each value of a column stays the same when its definition changes."""
    if before.optional and not after.optional:  # NULL becomes another value if sql_mode allows it
        return False
    holds = _HOLDS.get(before.base, _same_type)
    return holds(before, after)


def _same_type(before: DefinedColumn, after: DefinedColumn) -> bool:
    return (before.base, before.length, before.scale) == (after.base, after.length, after.scale)


def _integer(before: DefinedColumn, after: DefinedColumn) -> bool:
    """Return whether a type holds all integers of another one; display widths mean nothing."""
    if after.base in _INTEGER_BITS:
        return _range(after)[0] <= _range(before)[0] and _range(before)[1] <= _range(after)[1]
    if after.is_unsigned and not before.is_unsigned:
        return False
    low, high = _range(before)
    if after.base == "DECIMAL":
        return _whole_digits(after) >= len(str(high))
    if after.base == "DOUBLE":
        return after.length is None and before.base != "BIGINT"
    return _holds_number(before, after, max(len(str(low)), len(str(high))))


def _range(column: DefinedColumn) -> tuple[int, int]:
    bits = _INTEGER_BITS[column.base]
    return (0, 2**bits - 1) if column.is_unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _holds_number(before: DefinedColumn, after: DefinedColumn, length: int) -> bool:
    """Return whether a number becomes a text of its digits."""
    holds = after.base in _TEXT_BYTES or (
        after.base in {"CHAR", "VARCHAR"} and (after.length or 1) >= length
    )
    return holds and "ZEROFILL" not in before.type


def _decimal(before: DefinedColumn, after: DefinedColumn) -> bool:
    if after.base != "DECIMAL":
        sign, point = int(not before.is_unsigned), int(bool(before.scale))
        digits = max(1, _whole_digits(before)) + (before.scale or 0)  # 0 stands before the point
        return _holds_number(before, after, sign + digits + point)
    if after.is_unsigned and not before.is_unsigned:
        return False
    more_whole = _whole_digits(after) >= _whole_digits(before)
    return more_whole and (after.scale or 0) >= (before.scale or 0)


def _whole_digits(column: DefinedColumn) -> int:
    return (column.length or 10) - (column.scale or 0)


def _float(before: DefinedColumn, after: DefinedColumn) -> bool:
    """Return whether a type holds a floating-point number; FLOAT(M,D) rounds in decimal."""
    if after.is_unsigned and not before.is_unsigned:
        return False
    wider = before.base == "FLOAT" and after.base == "DOUBLE" and after.length is None
    return _same_type(before, after) or (wider and before.scale is None)


def _temporal(before: DefinedColumn, after: DefinedColumn) -> bool:
    return before.base == after.base and (after.length or 0) >= (before.length or 0)


def _characters(before: DefinedColumn, after: DefinedColumn) -> bool:
    """Return whether a type holds all texts of another one.

    CHAR has no trailing spaces, which VARCHAR keeps.
    """
    if after.base not in _CHARACTERS or not _holds_charset(before.charset, after.charset):
        return False
    if after.base in _TEXT_BYTES:
        room = _text_bytes(after)
        if before.base in _TEXT_BYTES:
            return before.base == after.base or _text_bytes(before) <= room
        return after.base != "TINYTEXT" or (before.length or 1) * _CHARACTER_BYTES <= room
    if after.base == "CHAR" and before.base != "CHAR":
        return False
    characters = _text_bytes(before) if before.base in _TEXT_BYTES else before.length or 1
    return (after.length or 1) >= characters


def _text_bytes(column: DefinedColumn) -> int:
    return (1 << _TEXT_BYTES[column.base]) - 1


def _holds_charset(before: str, after: str) -> bool:
    """Return whether a character set has all characters of another one; unknown sets have."""
    if "" in {before, after} or before in {after, "ascii"}:
        return True
    return after in _UNICODE or (after in _UNICODE_BMP and before not in _UNICODE | {"gb18030"})


def _binary(before: DefinedColumn, after: DefinedColumn) -> bool:
    """Return whether a type holds all bytes of another one; BINARY pads them to its length."""
    if after.base == "BINARY":
        return before.base == "BINARY" and _bytes(before) == _bytes(after)
    return after.base in _BINARY and _bytes(before) <= _bytes(after)


def _bytes(column: DefinedColumn) -> int:
    bits = _BLOB_BYTES.get(column.base)
    return column.length or 1 if bits is None else (1 << bits) - 1


def _bits(before: DefinedColumn, after: DefinedColumn) -> bool:
    """Return whether messages have as many bytes; BIT(1) is a boolean."""
    lengths = [column.length or 1 for column in (before, after)]
    sizes = {-(-length // 8) if length > 1 else 0 for length in lengths}
    return after.base == "BIT" and lengths[0] <= lengths[1] and len(sizes) == 1


def _enum(before: DefinedColumn, after: DefinedColumn) -> bool:
    return after.base == "ENUM" and {*before.labels} <= {*after.labels}


def _set(before: DefinedColumn, after: DefinedColumn) -> bool:
    """Return whether all labels stay in their order, which is that of a value."""
    same = [label for label in after.labels if label in before.labels]
    return after.base == "SET" and same == [*before.labels]


_HOLDS: Final[Mapping[str, Callable[[DefinedColumn, DefinedColumn], bool]]] = {
    **dict.fromkeys(_INTEGER_BITS, _integer),
    **dict.fromkeys(_CHARACTERS, _characters),
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(("DATETIME", "TIMESTAMP", "TIME"), _temporal),
    **dict.fromkeys(("FLOAT", "DOUBLE"), _float),
    "DECIMAL": _decimal,
    "DATE": lambda _, after: after.base in {"DATE", "DATETIME"},
    "YEAR": lambda _, after: after.base == "YEAR",
    "BIT": _bits,
    "ENUM": _enum,
    "SET": _set,
}
"""Type → whether another type holds all its values; for other types only the same type does."""
