"""All that is known of a server's databases and tables."""

from __future__ import annotations

from collections.abc import Callable

from connector.capture.tables import TableId, Tables
from connector.errors import DdlError
from connector.mysql.ddl.apply import apply_statement
from connector.mysql.ddl.column_building import ColumnBuilder
from connector.mysql.ddl.events import DdlEvent
from connector.mysql.ddl.parser import parse
from connector.mysql.ddl.reader import TableName
from connector.mysql.ddl.recorded_text import recorded_text
from connector.mysql.ddl.statements import Statement
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.ddl.variables import SystemVariables


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

    def apply(self, text: str, database: str) -> list[DdlEvent]:
        """Apply the statements of ``text``, run with ``database`` as the current one.

        :raises DdlError: for a statement that cannot be read or applied.
        """
        self.database = database
        events: list[DdlEvent] = []
        for statement in self._read(text):
            events += apply_statement(self, statement)
        return events

    def resolve(self, name: TableName) -> TableId:
        """Return the full name of a table."""
        return TableId(self.database if name.database is None else name.database, name.table)

    def charset_for(self, database: str) -> str | None:
        """Return the charset of a new table in a database, None when nothing tells it."""
        charset = self.charsets.get(database) or self.variables.get("character_set_database")
        if charset is None or charset.lower() == "default":
            charset = self.variables.get("character_set_server")
        return charset

    def _read(self, text: str) -> list[Statement]:
        """Parse ``text``; if that fails, with the other meaning of double quotes.

        A session may have another sql_mode than the one known of the server.
        """
        ansi_quotes = self.variables.has_mode("ANSI_QUOTES")
        try:
            return self._parse(text, ansi_quotes=ansi_quotes)
        except DdlError as error:
            if '"' not in text:
                raise
            try:
                return self._parse(text, ansi_quotes=not ansi_quotes)
            except DdlError:
                raise error from None  # the first one tells more

    def _parse(self, text: str, *, ansi_quotes: bool) -> list[Statement]:
        if self.dialect == "mysql":
            text = recorded_text(text, ansi_quotes=ansi_quotes)
        backslashes = not self.variables.has_mode("NO_BACKSLASH_ESCAPES")
        return parse(text, self.dialect, ansi_quotes=ansi_quotes, backslashes=backslashes)
