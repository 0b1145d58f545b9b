"""Locks for a consistent snapshot, as ``snapshot.locking.mode`` wants them.

With the global lock writers wait only until position and definitions are read; the rows come
from a consistent read view. Without the privilege for it (hosted databases) the captured tables
are locked one by one, and stay so until all rows are read: UNLOCK TABLES would commit the view.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from connector.capture.tables import TableId
from connector.errors import AccessDeniedError, StopError
from connector.mysql.connection import Connection

log = logging.getLogger(__name__)

_GLOBAL: Final = "FLUSH TABLES WITH READ LOCK"
_BACKUP: Final = "LOCK TABLES FOR BACKUP"


@dataclass(frozen=True, slots=True)
class LockingMode:
    """How one mode locks.

    ``statement`` takes the global lock, None = no lock at all. ``throughout``: it is held until
    all rows are read. ``tables``: table locks may take its place. ``read_view``: rows are read as
    of the lock; else as of the first look at them, and what is written in between comes again.
    """

    statement: str | None = _GLOBAL
    throughout: bool = False
    tables: bool = True
    read_view: bool = True


MODES: Final = {
    "minimal": LockingMode(),
    "minimal_percona": LockingMode(_BACKUP),
    "minimal_percona_no_table_locks": LockingMode(_BACKUP, tables=False),
    "minimal_at_least_once": LockingMode(read_view=False),
    "extended": LockingMode(throughout=True, read_view=False),
    "none": LockingMode(None, tables=False, read_view=False),
}


class SnapshotLock:
    """The locks of one snapshot on its connection.

    ``of_tables``: tables were locked one by one; the connection may not look at any other one.
    """

    def __init__(self, connection: Connection, mode: str, timeout: float) -> None:
        self._connection = connection
        self._mode = MODES[mode]
        self._timeout = max(int(timeout), 1)
        self.of_tables = False
        self._held = False

    def acquire(self, tables: Sequence[TableId]) -> None:
        """Stop writers as far as the mode wants it, and open the read view.

        :raises DatabaseUnavailableError: a lock cannot be had in time.
        :raises StopError: the user may not take it.
        """
        execute = self._connection.execute
        execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        execute(f"SET SESSION lock_wait_timeout={self._timeout}")
        execute(f"SET SESSION innodb_lock_wait_timeout={self._timeout}")
        execute("SET autocommit=0")
        if self._mode.statement is not None and not self._lock_globally(self._mode.statement):
            self._lock_tables(tables)
        elif self._mode.read_view:
            execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")

    def share(self, session: Connection) -> None:
        """Give a further session a read view as of now.

        It is the same one as that of the lock's own session as long as writers are kept out; with
        ``none`` they are not.
        """
        session.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        session.execute(f"SET SESSION lock_wait_timeout={self._timeout}")
        session.execute("SET autocommit=0")
        session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")

    def definitions_read(self) -> None:
        """Let writers go on, unless the locks are needed for the rows as well."""
        if self._held and not self.of_tables and not self._mode.throughout:
            self._unlock()

    def rows_read(self) -> None:
        """End the read view and release what is still locked."""
        self._connection.execute("ROLLBACK")
        if self._held:
            self._unlock()
        self._connection.execute("SET autocommit=1")

    def _lock_globally(self, statement: str) -> bool:
        try:
            self._connection.execute(statement)
        except AccessDeniedError:
            if not self._mode.tables:
                raise
            log.info("The global read lock is not permitted: locking the captured tables instead")
            return False
        self._held = True
        return True

    def _lock_tables(self, tables: Sequence[TableId]) -> None:
        self._held = self.of_tables = True
        if not tables:
            return
        names = [table.quoted("`") for table in tables]
        try:
            self._lock_each(names)
        except AccessDeniedError as error:
            raise StopError(
                f"The captured tables cannot be locked: {error}",
                "Grant RELOAD, or LOCK TABLES on the captured databases, to the user; or set "
                "snapshot.locking.mode=none when no definition changes during the snapshot.",
            ) from error

    def _lock_each(self, names: Sequence[str]) -> None:
        """Lock tables as Debezium does; or, without RELOAD, in the way that needs LOCK TABLES."""
        try:
            self._connection.execute(f"FLUSH TABLES {', '.join(names)} WITH READ LOCK")
        except AccessDeniedError:
            reads = ", ".join(f"{name} READ" for name in names)
            self._connection.execute(f"LOCK TABLES {reads}")

    def _unlock(self) -> None:
        self._connection.execute("UNLOCK TABLES")
        self._held = False
        log.info("Released the snapshot's locks: writers go on")
