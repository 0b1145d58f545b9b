"""All that is known of a server's databases and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from connector.capture.tables import Table, TableId, Tables
from connector.errors import DdlError
from connector.mysql.ddl.apply import apply_statement
from connector.mysql.ddl.column_building import ColumnBuilder
from connector.mysql.ddl.events import DdlEvent
from connector.mysql.ddl.parser import parse
from connector.mysql.ddl.reader import TableName
from connector.mysql.ddl.recorded_text import recorded_text
from connector.mysql.ddl.statements import Statement
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.ddl.variables import Quoting, SystemVariables

# What no statement of a server causes, but a damaged one may: a number of thousands of digits …
_OTHER_FAULTS = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


class Catalog:
    """Tables, system variables and the charsets of databases, changed by DDL texts.

    :param tables: where the tables are kept.
    :param captures: tells whether rows of a table are captured; unique indexes made later
        become keys in captured tables only, as in Debezium.
    :param comments: keep the comments of tables and columns.
    """

    def __init__(
        self,
        tables: Tables,
        dialect: Dialect,
        captures: Callable[[TableId], bool] = lambda _: True,
        *,
        comments: bool = False,
    ) -> None:
        self.tables = tables
        self.dialect = dialect
        self.captures = captures
        self.variables = SystemVariables()
        self.charsets: dict[str, str] = {}
        self.database = ""
        self.builder = ColumnBuilder(dialect, comments)

    def apply(self, text: str, database: str, quoting: Quoting | None = None) -> list[DdlEvent]:
        """Apply the statements of ``text``, run with ``database`` as the current one.

        :param quoting: that of the session, if it is known; else the server's is taken.
        :raises DdlError: for a statement that cannot be read or applied.
        """
        self.database = database
        events: list[DdlEvent] = []
        try:
            for statement in self._read(text, quoting or self.variables.quoting()):
                events += apply_statement(self, statement)
        except _OTHER_FAULTS as error:
            raise DdlError(f"Cannot read a DDL statement ({type(error).__name__}).") from None
        return events

    def state(self) -> dict[str, Any]:
        """Return all that is known but for the tables."""
        return {
            "variables": self.variables.state(),
            "charsets": dict(self.charsets),
            "database": self.database,
        }

    def restore(self, state: Mapping[str, Any], tables: Iterable[Table]) -> None:
        """Take over what `state` gave, and tables."""
        self.variables.restore(state["variables"])
        self.charsets = dict(state["charsets"])
        self.database = state["database"]
        for table in tables:
            self.tables.put(table)

    def resolve(self, name: TableName) -> TableId:
        """Return the full name of a table."""
        return TableId(self.database if name.database is None else name.database, name.table)

    def charset_for(self, database: str) -> str | None:
        """Return the charset of a new table in a database, None when nothing tells it."""
        charset = self.charsets.get(database) or self.variables.get("character_set_database")
        if charset is None or charset.lower() == "default":
            charset = self.variables.get("character_set_server")
        return charset

    def _read(self, text: str, quoting: Quoting) -> list[Statement]:
        """Parse ``text``; if that fails, with other meanings of quotes and backslashes.

        A session may have another sql_mode than the one known of the server.
        """
        try:
            return self._parse(text, quoting)
        except DdlError as error:
            for other in _others(text, quoting):
                try:
                    return self._parse(text, other)
                except DdlError:
                    continue
            raise error from None  # the first one tells more

    def _parse(self, text: str, quoting: Quoting) -> list[Statement]:
        if self.dialect == "mysql":
            text = recorded_text(text, ansi_quotes=quoting.ansi_quotes)
        return parse(text, self.dialect, **quoting._asdict())


def _others(text: str, quoting: Quoting) -> list[Quoting]:
    """Return the other ways to read a text in which it makes a difference."""
    ansi_quotes = [quoting.ansi_quotes, not quoting.ansi_quotes] if '"' in text else [False]
    backslashes = [quoting.backslashes, not quoting.backslashes] if "\\" in text else [True]
    ways = [
        Quoting(quotes, escapes, quoting.oracle)
        for escapes in backslashes
        for quotes in ansi_quotes
    ]
    return ways[1:]
