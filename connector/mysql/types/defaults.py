"""The literal of a DEFAULT clause as the default of a schema."""

from __future__ import annotations

import logging
import re
from decimal import InvalidOperation
from typing import Any

from connector.capture.tables import Column
from connector.errors import ConversionError
from connector.mysql.types.family import ColumnType

log = logging.getLogger(__name__)
_INTRODUCER = re.compile(r"_[A-Za-z0-9]+'(.*)'", re.DOTALL)
_DATE_TYPES = (91, 93)  # DATE and DATETIME: not TIME, not TIMESTAMP
_CHARACTER_TYPES = (1, 12, -15, -9, -2, -3, 2004, 1111)  # JDBC types whose text is kept as it is


def default_value(column: Column, kind: ColumnType, *, fails: bool = False) -> Any:
    """Return the default of a column as a Connect value, None when there is none.

    A default that cannot be read is left out with a warning, as Debezium does; that of a date
    which cannot be null becomes the epoch. MariaDB takes functions without parentheses.

    :raises ConversionError: it cannot be read, and ``fails``.
    """
    if column.default is None:
        return None
    literal = column.default
    if column.jdbc_type not in _CHARACTER_TYPES:
        literal = literal.strip()
    introduced = _INTRODUCER.fullmatch(literal)
    if introduced:
        literal = introduced[1]
    try:
        return kind.from_literal(literal)
    except (ValueError, InvalidOperation, OverflowError, ConversionError):
        if fails:
            raise ConversionError(
                f"the default value of column {column.name} ({column.type_name}) cannot be read",
                "Set event.converting.failure.handling.mode=warn to go without it.",
            ) from None
        fallback = kind.fallback if _falls_back(column) else None
        log.warning(
            "The default value of column %s (%s) cannot be read; the default in its schema is %s",
            column.name,
            column.type_name,
            fallback,
        )
        return fallback


def _falls_back(column: Column) -> bool:
    return column.jdbc_type in _DATE_TYPES and not column.optional
