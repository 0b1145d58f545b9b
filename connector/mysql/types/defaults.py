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
_CHARACTER_TYPES = (1, 12, -15, -9, -2, -3, 2004, 1111)  # JDBC types whose text is kept as it is


def default_value(column: Column, kind: ColumnType, *, fails: bool = False) -> Any:
    """Return the default of a column as a Connect value, None when there is none.

    A default that cannot be read is left out with a warning, as Debezium does.

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
        log.warning(
            "The default value of column %s (%s) cannot be read; its schema has no default",
            column.name,
            column.type_name,
        )
        return None
