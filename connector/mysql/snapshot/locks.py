"""Locks for a consistent snapshot, as ``snapshot.locking.mode`` requires.

With the global lock, writers wait only until position and definitions are read; the rows come
from a consistent read view. Without the privilege for it (hosted databases), the captured tables
are locked one by one until all rows are read: UNLOCK TABLES would commit the view.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from connector.capture.custom_snapshots import CustomLock
from connector.capture.tables import TableId
from connector.errors import AccessDeniedError, DatabaseUnavailableError, StopError
from connector.mysql.session.connection import Connection, code_of
from connector.mysql.session.server_errors import NO_SUCH_TABLE

log = logging.getLogger(__name__)

_GLOBAL: Final = "FLUSH TABLES WITH READ LOCK"
_BACKUP: Final = "LOCK TABLES FOR BACKUP"
_ATTEMPTS: Final = 20


@dataclass(frozen=True, slots=True)
class LockingMode:
    """How one mode locks.

    ``statement`` takes the global lock, None = no lock at all. ``throughout``: it is held until
    all rows are read. ``tables``: table locks may replace it. ``read_view``: rows are read as of
    the lock; otherwise as of the first read, and changes in between are delivered twice.
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
    "custom": LockingMode(None, tables=False, read_view=False),
}


class SnapshotLock:
    """The locks of one snapshot on its connection.

    ``custom`` has the statements of the mode of that name.
    ``of_tables``: tables were locked one by one; the connection cannot read any other one.
    ``keeps_definitions``: no definition can change as long as the lock is held.
    """

    def __init__(
        self,
        connection: Connection,
        mode: str,
        timeout: float,
        custom: CustomLock | None = None,
    ) -> None:
        self._connection = connection
        self._mode = MODES[mode]
        self._custom = custom
        self._timeout = max(int(timeout), 1)
        self.of_tables = False
        self._held = False

    @property
    def is_held(self) -> bool:
        """Whether writers have to wait."""
        return self._held

    @property
    def keeps_definitions(self) -> bool:
        """Whether the lock is one of all tables."""
        return self._held and not self.of_tables

    def acquire(self, captured: Callable[[], Sequence[TableId]]) -> None:
        """Stop writers as far as the mode requires.

        :param captured: lists the tables to lock, as of now.
        :raises DatabaseUnavailableError: a lock is not available in time.
        :raises StopError: the user may not take it.
        """
        execute = self._connection.execute
        execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        execute(f"SET SESSION lock_wait_timeout={self._timeout}")
        execute(f"SET SESSION innodb_lock_wait_timeout={self._timeout}")
        execute("SET autocommit=0")
        statement = self._mode.statement
        if self._custom is not None:
            self._lock_tables(captured, partial(self._lock_by, self._custom))
        elif statement is not None and not self._lock_globally(statement):
            self._lock_tables(captured, self._lock_each)

    def open_view(self) -> None:
        """Open the read view, after the position was read.

        A lock of definitions alone (Percona's) does not stop commits. A transaction committed
        between position and view is in both, so that it is delivered twice; in the opposite order
        it would be in neither.
        """
        if self._mode.read_view and not self.of_tables:
            self._connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")

    def share(self, session: Connection) -> None:
        """Open a read view as of now in an additional session.

        It equals that of the lock's own session as long as writers are locked out; with ``none``
        they are not.
        """
        session.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        session.execute(f"SET SESSION lock_wait_timeout={self._timeout}")
        session.execute("SET autocommit=0")
        session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")

    def release_after_definitions(self) -> None:
        """Release the locks, unless the mode holds them until the rows are read."""
        if self._held and not self.of_tables and not self._mode.throughout:
            self._unlock()

    def release_after_rows(self) -> None:
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
            log.info(
                "The user may not take the global read lock: the captured tables are locked instead"
            )
            return False
        self._held = True
        return True

    def _lock_tables(
        self, captured: Callable[[], Sequence[TableId]], lock: Callable[[Sequence[str]], bool]
    ) -> None:
        """Lock the captured tables; try again if tables were created or dropped in between."""
        self._held = self.of_tables = True
        for _ in range(_ATTEMPTS):
            tables = captured()
            if lock([table.quoted("`") for table in tables]) and captured() == tables:
                return
            self._release()
        raise DatabaseUnavailableError(
            "The captured tables cannot be locked: tables were created or dropped during each of "
            f"{_ATTEMPTS} attempts."
        )

    def _lock_each(self, names: Sequence[str]) -> bool:
        """Lock tables; False when one of them does not exist any more."""
        if not names:
            return True
        try:
            self._flush_or_lock(names)
        except AccessDeniedError as error:
            raise StopError(
                f"The captured tables cannot be locked: {error}",
                "Grant RELOAD, or LOCK TABLES on the captured databases, to the user; or set "
                "snapshot.locking.mode=none if no definition changes during the snapshot.",
            ) from error
        except StopError as error:
            if code_of(error) != NO_SUCH_TABLE:
                raise
            return False
        return True

    def _flush_or_lock(self, names: Sequence[str]) -> None:
        """Lock tables as Debezium does; without RELOAD, by LOCK TABLES."""
        try:
            self._connection.execute(f"FLUSH TABLES {', '.join(names)} WITH READ LOCK")
        except AccessDeniedError:
            reads = ", ".join(f"{name} READ" for name in names)
            self._connection.execute(f"LOCK TABLES {reads}")

    def _lock_by(self, custom: CustomLock, names: Sequence[str]) -> bool:
        """Lock tables as a custom lock does; False when one of them does not exist any more."""
        statement = custom.lock(self._timeout, names)
        self._held = self.of_tables = statement is not None
        if statement is None:
            return True
        try:
            self._connection.execute(statement)
        except StopError as error:
            if code_of(error) != NO_SUCH_TABLE:
                raise
            return False
        return True

    def _release(self) -> None:
        self._connection.execute("UNLOCK TABLES" if self._custom is None else self._custom.unlock())

    def _unlock(self) -> None:
        self._release()
        self._held = False
        log.info("The locks of the snapshot are released: writers continue")
