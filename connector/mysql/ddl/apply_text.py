"""Parses the text of DDL statements and applies them to a catalog."""

from __future__ import annotations

from connector.errors import DdlError
from connector.mysql.ddl.apply import apply_statement
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.events import DdlEvent
from connector.mysql.ddl.parser import parse
from connector.mysql.ddl.recorded_text import recorded_text
from connector.mysql.ddl.statements import Statement
from connector.mysql.ddl.variables import Quoting

# A statement that the server accepted raises none of these; a damaged one may, for example with a
# number of thousands of digits.
_UNEXPECTED: tuple[type[Exception], ...] = (
    ArithmeticError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def apply_text(
    catalog: Catalog, text: str, database: str, quoting: Quoting | None = None
) -> list[DdlEvent]:
    """Apply the statements of ``text``, run with ``database`` as the current one.

    :param quoting: that of the session, if it is known; otherwise the server's is used.
    :raises DdlError: for a statement that cannot be parsed or applied.
    """
    catalog.database = database
    events: list[DdlEvent] = []
    try:
        for statement in _parse_any(catalog, text, quoting or catalog.variables.quoting()):
            events += apply_statement(catalog, statement)
    except _UNEXPECTED as error:
        raise DdlError(f"Cannot read a DDL statement ({type(error).__name__}).") from None
    return events


def _parse_any(catalog: Catalog, text: str, quoting: Quoting) -> list[Statement]:
    """Parse ``text``; if that fails, with other meanings of quotes and backslashes.

    A session may have another sql_mode than the one known of the server.
    """
    try:
        return _parse(catalog, text, quoting)
    except DdlError as error:
        for other in _other_quotings(text, quoting):
            try:
                return _parse(catalog, text, other)
            except DdlError:
                continue
        raise error from None  # the first one says more


def _parse(catalog: Catalog, text: str, quoting: Quoting) -> list[Statement]:
    if catalog.dialect == "mysql":
        text = recorded_text(text, ansi_quotes=quoting.ansi_quotes)
    return parse(text, catalog.dialect, **quoting._asdict())


def _other_quotings(text: str, quoting: Quoting) -> list[Quoting]:
    """Return the other ways to read a text in which it makes a difference."""
    ansi_quotes = [quoting.ansi_quotes, not quoting.ansi_quotes] if '"' in text else [False]
    backslashes = [quoting.backslashes, not quoting.backslashes] if "\\" in text else [True]
    quotings = [
        Quoting(quotes, escapes, quoting.oracle)
        for escapes in backslashes
        for quotes in ansi_quotes
    ]
    return quotings[1:]
