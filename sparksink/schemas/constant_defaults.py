"""Whether a mirror gives existing rows the same value for a constant default as the source.

The schema-change topic has the text of a literal: without its quotes, but with its escapes, and
without the prefix of ``x'41'``. The source converts it to the column's type. Only a literal that
both sides read alike is known; the rules are those that servers showed
(tests/sink/test_altered_rows.py).
"""

from __future__ import annotations

import re
from typing import Final

from connector import names
from sparksink.schemas.column_clauses import LiteralKind
from sparksink.schemas.defaults import CLOCK
from sparksink.schemas.defined_columns import DefinedColumn
from sparksink.schemas.row_schema import Column

_ZERO_DATE: Final = "0000-00-00"
_TEXTS: Final = frozenset({"VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "JSON"})
_ESCAPES: Final = re.compile(r'\\|""')
"""Escapes whose meaning depends on ``sql_mode`` and on the quotes of the literal."""
_INTEGER: Final = re.compile(r"[+-]?\d+")
_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DECIMAL: Final = re.compile(r"-?(0|[1-9]\d*)(\.(?P<fraction>\d+))?")
_YEAR: Final = re.compile(r"19(?!00)\d\d|20\d\d|21([0-4]\d|5[0-5])")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DATETIME: Final = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.(?P<fraction>\d+))?)?")


def reads_default(column: DefinedColumn, decoded: Column | None, literal: LiteralKind) -> bool:
    """Return whether a mirror reads a constant default as the source does.

    That of a TIMESTAMP depends on the time zone of the statement's connection; BINARY and BIT pad
    theirs.

    :param decoded: the column as its values are decoded; None if it is not captured.
    """
    text = column.default
    if text is None or text.startswith(_ZERO_DATE):
        return True
    if column.base in {"BINARY", "VARBINARY", "TIMESTAMP"}:
        return not text
    if decoded is None or decoded.default is None:
        return False
    if literal == "prefixed" and column.base != "BIT":
        return False
    if column.base == "DECIMAL" and decoded.semantic != names.CONNECT_DECIMAL:
        found = _DECIMAL.fullmatch(text)  # a text or a double, with as many digits as the column
        return found is not None and len(found["fraction"] or "") == (column.scale or 0)
    return _same_value(column, text, literal)


def _same_value(column: DefinedColumn, text: str, literal: LiteralKind) -> bool:
    """Return whether the literal of a default is the value that the source stores."""
    base = column.base
    if base in _TEXTS or base == "CHAR":  # which has no trailing spaces
        is_cut = base == "CHAR" and text.endswith(" ")
        return literal == "text" and not _ESCAPES.search(text) and not is_cut
    if base == "ENUM":
        return f"'{text}'" in column.labels
    if base == "SET":
        chosen = [f"'{label}'" for label in text.split(",")] if text else []
        return chosen == [label for label in column.labels if label in chosen]
    if base == "BIT":
        return (column.length or 1) == 1 and text in {"0", "1"}
    if base in {"DATETIME", "TIME"}:
        found = (CLOCK if base == "TIME" else _DATETIME).fullmatch(text)
        return found is not None and len(found["fraction"] or "") <= (column.length or 0)
    if base in {"FLOAT", "DOUBLE"} and column.scale is not None:  # rounds in decimal
        return False
    pattern = _PATTERNS.get(base)
    return pattern is not None and pattern.fullmatch(text) is not None


_PATTERNS: Final = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT"), _INTEGER),
    **dict.fromkeys(("DECIMAL", "FLOAT", "DOUBLE"), _NUMBER),
    "YEAR": _YEAR,
    "DATE": _DATE,
}
