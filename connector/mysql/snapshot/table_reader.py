"""Reads the rows of whole tables through one session."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from typing import Final

from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import AccessDeniedError, StopError, TableChangedError
from connector.mysql.native_rows import Batch, read_natively, split_batches
from connector.mysql.schema.definitions import DefinitionReader
from connector.mysql.session.connection import Connection, RowStream, code_of, quote
from connector.mysql.session.server_errors import NO_SUCH_TABLE
from connector.mysql.session.text_rows import TextRows
from connector.mysql.snapshot.selects import Selects

UTC: Final = "SET time_zone = '+00:00'"


class TableReader:
    """One session that reads tables for a snapshot; used by one thread. It reads rows in UTC.

    ``selects`` are the statements of tables that have their own; ``fingerprints`` those of the
    definitions that the tables had when the snapshot began. A batch has at most ``fetch_size``
    rows; if it is 0, as many as come at once from the server.
    """

    def __init__(
        self,
        connection: Connection,
        selects: Selects,
        fingerprints: Collection[bytes],
        fetch_size: int = 0,
    ) -> None:
        self.connection = connection
        self._reader = DefinitionReader(connection, lambda _: True)
        self._selects = selects
        self._fingerprints = fingerprints
        self._fetch_size = fetch_size
        ((self._zone,),) = connection.rows("SELECT @@session.time_zone")
        connection.execute(UTC)

    def rows_as_defined(self, codec: TableEventSchema, clause: str = "") -> Iterator[Batch]:
        """Yield the rows of a table that still has the definition with which the snapshot began.

        The locks are released by now. The server refuses to read most tables that were altered
        since the transaction began, but not those of which only columns were renamed.

        :param clause: the rest of the SELECT, for a part of the rows.
        :raises TableChangedError: it was altered, renamed or dropped during the snapshot.
        """
        self.connection.execute("SAVEPOINT millrace")
        table = codec.table.id
        try:
            self.lock_definition(table)
        except AccessDeniedError:
            raise
        except StopError as error:
            # a missing table may have been created again since
            if code_of(error) != NO_SUCH_TABLE and self._is_unchanged(table):
                raise
            raise TableChangedError(
                f"table {table} was altered during the snapshot: {error}"
            ) from error
        if not self._is_unchanged(table):
            self.connection.execute("ROLLBACK TO SAVEPOINT millrace")
            raise TableChangedError(f"table {table} was altered during the snapshot")
        yield from self._batches(codec, clause)
        self.connection.execute("ROLLBACK TO SAVEPOINT millrace")

    def has_select(self, table: TableId) -> bool:
        """Whether a table is read by a SELECT of its own."""
        return table in self._selects

    def rows(self, codec: TableEventSchema) -> Iterator[Batch]:
        """Yield the rows of a table as they come, by its own SELECT if there is one.

        Others may alter the table when it has been read: without the savepoint the server would
        lock its definition until the end of the snapshot.
        """
        self.connection.execute("SAVEPOINT millrace")
        yield from self._batches(codec)
        self.connection.execute("ROLLBACK TO SAVEPOINT millrace")

    def lock_definition(self, table: TableId) -> None:
        """Prevent others from altering a table until it is read.

        :raises TableChangedError: it was altered since the transaction began.
        :raises StopError: there is no such table.
        """
        self.connection.execute(f"SELECT 1 FROM {table.quoted('`')} LIMIT 0")  # noqa: S608 - quoted

    def definition(self, table: TableId) -> str:
        """Return the statement that creates a table.

        It shows defaults of TIMESTAMP columns in the time zone of the session, which must be that
        of the snapshot's other definitions.

        :raises StopError: there is no such table.
        """
        self.connection.execute(f"SET time_zone = {self.connection.literal(self._zone)}")
        try:
            return self._reader.create_table(table)
        finally:
            self.connection.execute(UTC)

    def now_micros(self) -> int:
        """Return the server's time, to the second; the session's time zone must be UTC."""
        return self._reader.now_micros()

    def _batches(self, codec: TableEventSchema, clause: str = "") -> Iterator[Batch]:
        name = codec.table.id
        if name in self._selects:
            own = self._selects.statement(codec)
            if own is None:
                return iter(())
            stream = self.connection.read_rows(own)
            return self._read(codec, TextRows(codec.columns, stream.columns), stream)
        expressions = [column.sql(quote(column.column.name)) for column in codec.columns]
        columns = ", ".join(expressions) or "NULL"
        select = f"SELECT {columns} FROM {name.quoted('`')}{clause}"  # noqa: S608 - names are quoted
        found = None if codec.columns else ("NULL",)  # all columns may be excluded
        read = [column.as_selected() for column in codec.columns]
        return self._read(codec, TextRows(read, found), self.connection.read_rows(select))

    def _read(self, codec: TableEventSchema, rows: TextRows, stream: RowStream) -> Iterator[Batch]:
        batches: Iterator[Batch]
        if codec.derived:
            batches = (list(map(codec.with_derived, batch)) for batch in rows.read(stream))
        else:
            batches = read_natively(rows, stream)
        return split_batches(batches, self._fetch_size) if self._fetch_size else batches

    def _is_unchanged(self, table: TableId) -> bool:
        try:
            return fingerprint(self.definition(table)) in self._fingerprints
        except StopError:  # it was dropped
            return False


def fingerprint(definition: str) -> bytes:
    """Return what identifies a definition, whatever number the next row gets."""
    without_counter = re.sub(r" AUTO_INCREMENT=\d+", "", definition)
    return hashlib.blake2b(
        without_counter.encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()
