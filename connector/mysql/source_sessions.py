"""Opens the sessions of a source, and checks the servers that it captures."""

from __future__ import annotations

from connector.errors import MillraceError
from connector.mysql.session.addresses import Address
from connector.mysql.session.checks import check_gtids, check_privileges, check_server
from connector.mysql.session.connection import Connection
from connector.mysql.source_parts import SourceParts


class SourceSessions:
    """Opens sessions to the present server of a source, or to another one of its list."""

    def __init__(self, parts: SourceParts) -> None:
        self._parts = parts

    def open(self, address: Address | None = None) -> Connection:
        """Open a session to a server, the present one by default."""
        settings = self._parts.settings
        session = Connection(settings if address is None else settings.at(address))
        if self._parts.is_mariadb:  # as Debezium does: it affects the defaults of TIMESTAMP columns
            session.execute("SET time_zone='+00:00'")
        return session

    def open_checked(self, address: Address | None = None) -> Connection:
        """Open a session to a server, the present one by default, and check the server."""
        session = self.open(address)
        try:
            check_server(session, is_mariadb=self._parts.is_mariadb)
            if self._parts.options.gtid_marks:
                check_gtids(session, self._parts.options.gtid_marks)
            check_privileges(session)
            self._parts.rules.check_select(session)
        except MillraceError:
            session.close()
            raise
        return session
