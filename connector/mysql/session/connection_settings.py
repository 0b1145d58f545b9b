"""Where the database server is, and how to log in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from connector.mysql.session.addresses import Address, Addresses
from connector.mysql.session.tls import Tls


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Where the server is and how to log in. Times are in seconds.

    ``servers`` replaces host and port; the present one of them is used.
    ``connect_timeout`` is for each answer during the login too.

    The log timeouts are set in a session that reads the log: how long the server waits for the
    reader; 0 keeps its own setting.
    """

    host: str
    port: int = 3306
    user: str = ""
    password: str = field(default="", repr=False)
    connect_timeout: float = 30.0
    query_timeout: float = 600.0
    tls: Tls = field(default_factory=Tls)
    initial_statements: tuple[str, ...] = ()
    log_read_timeout: int = 0
    log_write_timeout: int = 0
    servers: Addresses | None = None

    @property
    def address(self) -> Address:
        """The server that a session is opened to."""
        return Address(self.host, self.port) if self.servers is None else self.servers.current

    def at(self, address: Address) -> ConnectionSettings:
        """Return the settings for one server."""
        return replace(self, host=address.host, port=address.port, servers=None)
