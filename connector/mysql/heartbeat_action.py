"""``heartbeat.action.query``: a statement run on the database with every heartbeat."""

from __future__ import annotations

import logging

from connector.errors import MillraceError, StopError
from connector.mysql.session.connection import Connection, code_of
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.server_errors import INVALID_OR_DENIED

log = logging.getLogger(__name__)


class HeartbeatAction:
    """Runs the statement on a session of its own, opened when it is first needed.

    As in Debezium a failure is logged and the next heartbeat retries, unless the statement is
    wrong or the user lacks a privilege: that will not pass.
    """

    def __init__(self, settings: ConnectionSettings, statement: str) -> None:
        self._settings = settings
        self._statement = statement
        self._connection: Connection | None = None

    def run(self) -> None:
        """Run the statement.

        :raises StopError: it cannot be run, now or later.
        """
        try:
            if self._connection is not None and not self._connection.reaches_present_server:
                self.close()
            if self._connection is None:
                self._connection = Connection(self._settings)
            self._connection.execute(self._statement)
        except MillraceError as error:
            self.close()
            if code_of(error) in INVALID_OR_DENIED:
                raise StopError(
                    f"The statement of heartbeat.action.query cannot be run: {error}",
                    "Correct the statement, or grant the user what it needs.",
                ) from error
            log.warning("The statement of heartbeat.action.query was not run: %s", error)

    def close(self) -> None:
        """Close the session."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
