"""Reads the statements about savepoints that servers log within a transaction."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from connector.errors import ConversionError

_STATEMENT: Final = re.compile(r"(SAVEPOINT|ROLLBACK TO) (.+)", re.DOTALL)
_QUOTES: Final = ("`", '"')  # double quotes: of sessions with ANSI_QUOTES


class SavepointStatement(NamedTuple):
    """SAVEPOINT or ROLLBACK TO, and the name of the savepoint in a form to compare."""

    action: Literal["SAVEPOINT", "ROLLBACK TO"]
    name: str


def read_savepoint(sql: str) -> SavepointStatement | None:
    """Read a statement; return None if it is not about a savepoint.

    Servers compare the names without case. They log each as it was written, in quotes unless the
    session has ``sql_quote_show_create=0`` and the name needs none. MySQL 5.6 rolls back to a name
    in back quotes whatever the session has, and does not double those within it.
    """
    match = _STATEMENT.fullmatch(sql)
    if match is None:
        return None
    action: Literal["SAVEPOINT", "ROLLBACK TO"]
    action = "SAVEPOINT" if match[1] == "SAVEPOINT" else "ROLLBACK TO"
    name, quote = match[2], match[2][0]
    if quote in _QUOTES:
        name = name[1:-1].replace(quote * 2, quote)
    return SavepointStatement(action, name.casefold())


def unknown_savepoint(statement: SavepointStatement) -> ConversionError:
    """Return the error of a ROLLBACK TO without its SAVEPOINT, which servers always log."""
    return ConversionError(
        f"a transaction in the binlog rolls back to the unknown savepoint `{statement.name}`",
        "Report the version of the server, and take a new snapshot; "
        "event.processing.failure.handling.mode=warn publishes the rows that were rolled back.",
    )
