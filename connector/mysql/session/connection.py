"""Sessions on the database server: the one place that knows PyMySQL.

Every value of a result comes as text or bytes, as the server sends it: conversion is the type
modules' work. Errors of the driver become Millrace's, with a decision and a remedy.
"""

from __future__ import annotations

import logging
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

import pymysql
from pymysql.connections import MySQLResult
from pymysql.constants import COMMAND

from connector.errors import (
    DatabaseUnavailableError,
    MillraceError,
    StopError,
)
from connector.mysql.session.answer_reader import AnswerReader
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.server_errors import NO_CONNECTION_LEFT, statement_error
from connector.mysql.session.tls import context
from connector.mysql.session.whole_definitions import VARIABLES, whole_definitions
from connector.mysql.session.wire import ErrorPacket

log = logging.getLogger(__name__)

_SENDING: Final = {"Sending to client", "Writing to net"}
_QUICK, _FOREVER = 5.0, 1e9  # seconds
_REMEDY_FOR_CERTIFICATES: Final = (
    "Name the authority of the server's certificate in database.ssl.truststore. Where the mode "
    "verifies the server's name too, database.hostname must be one that the certificate holds."
)


def quote(name: str) -> str:
    """Quote an identifier."""
    return "`" + name.replace("`", "``") + "`"


def open_session(settings: ConnectionSettings) -> Any:
    """Open a driver connection.

    :raises DatabaseUnavailableError: the server does not answer.
    :raises AccessDeniedError: user or password are wrong.
    :raises StopError: the host name cannot be one.
    """
    try:
        with translate_errors():
            session = _connect(settings)
            server, number = _identity(session)
    except UnicodeError as error:  # Python's encoding of host names
        raise StopError(
            f"{settings.address.host} is not a valid host name: {error}.",
            "Correct database.hostname.",
        ) from error
    working = partial(_is_working, settings.at(settings.address), server, number)
    session._rfile = AnswerReader(session._sock, settings.query_timeout or _FOREVER, working)  # noqa: SLF001 - see `AnswerReader`
    return session


def _connect(settings: ConnectionSettings) -> Any:
    tls, address = context(settings.tls), settings.address
    session = pymysql.Connection(
        host=address.host,
        port=address.port,
        user=settings.user,
        password=settings.password,
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=settings.connect_timeout,
        read_timeout=settings.connect_timeout,  # until `AnswerReader` takes over
        write_timeout=settings.query_timeout or None,
        conv=pymysql.converters.encoders,
        ssl=tls,
        ssl_disabled=tls is None,
        defer_connect=True,
        program_name="millrace",
    )
    session._ssl_required = settings.tls.required  # noqa: SLF001 - a context alone means "required" to the driver
    session.connect()
    return session


def _identity(session: Any) -> tuple[str, int]:
    """Return the identity of the server, and its number of the session."""
    with session.cursor() as cursor:
        cursor.execute("SELECT CONCAT_WS('/', @@hostname, @@port, @@server_id), CONNECTION_ID()")
        server, number = cursor.fetchone()
    return str(server), int(number)


def _is_working(settings: ConnectionSettings, server: str, session: int) -> bool:
    """Whether a server works on the statement of a session; another session checks that.

    It does not if it is unreachable, does not know the session, waits for its next statement, or
    waits until it accepts an answer that never arrived. Behind a proxy the other session may be
    on another server, which proves nothing.
    """
    try:
        other = _connect(replace(settings, connect_timeout=_QUICK, query_timeout=_QUICK))
        with closing(other), other.cursor() as cursor:
            if _identity(other)[0] != server:
                return True
            cursor.execute("SHOW PROCESSLIST")
            states = {int(row[0]): (row[4], row[6]) for row in cursor.fetchall()}
    except (pymysql.err.MySQLError, OSError) as error:
        return bool(error.args) and error.args[0] in NO_CONNECTION_LEFT
    command, state = states.get(session, ("Sleep", ""))
    return command != "Sleep" and state not in _SENDING


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn the driver's errors into Millrace's."""
    try:
        yield
    except pymysql.err.MySQLError as error:
        raise error_of(error) from error
    except (OSError, EOFError) as error:
        raise DatabaseUnavailableError(f"connection to the database lost: {error}") from error


def error_of(error: pymysql.err.MySQLError) -> MillraceError:
    """Return our error for one of the driver."""
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    text = str(error.args[-1] if error.args else error)
    if isinstance(getattr(error, "original_exception", None), ssl.SSLCertVerificationError):
        return StopError(f"{text} (error {code})", _REMEDY_FOR_CERTIFICATES)
    if isinstance(error, pymysql.err.InterfaceError):
        return DatabaseUnavailableError(f"{text} (error {code})")
    return statement_error(ErrorPacket(code, text))


def code_of(error: MillraceError) -> int:
    """Return the number of the server's error behind one of ours, 0 when there is none."""
    cause = error.__cause__
    number = cause.args[0] if isinstance(cause, pymysql.err.MySQLError) and cause.args else 0
    return number if isinstance(number, int) else 0


class Connection:
    """One session for statements and for reading tables. Not for use by two threads."""

    def __init__(self, settings: ConnectionSettings) -> None:
        self._settings = settings
        self._address = settings.address
        self._session = open_session(settings)
        found = self.rows("SHOW VARIABLES WHERE Variable_name IN %s", (VARIABLES,))
        for statement in (*whole_definitions(dict(found)), *settings.initial_statements):
            self.execute(statement)

    def execute(self, sql: str) -> None:
        """Run a statement and drop what it returns."""
        with translate_errors(), self._session.cursor() as cursor:
            cursor.execute(sql)

    def rows(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a query and return its rows; values are str (or bytes) or None."""
        with translate_errors(), self._session.cursor() as cursor:
            cursor.execute(sql, arguments or None)
            return list(cursor.fetchall())

    def each_row(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Run a query and yield its rows as they come: for results that may be large."""
        with translate_errors(), self._session.cursor(pymysql.cursors.SSCursor) as cursor:
            cursor.execute(sql)
            yield from cursor

    def row(self, sql: str, arguments: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """Run a query and return its first row."""
        rows = self.rows(sql, arguments)
        return rows[0] if rows else None

    def text(self, sql: str, column: int) -> str | None:
        """Return a column of a query's first row; what is not UTF-8 becomes U+FFFD.

        MariaDB writes binary defaults into the text of a definition as they are.
        """
        self._session.use_unicode = False
        try:
            row = self.row(sql)
        finally:
            self._session.use_unicode = True
        return None if row is None else bytes(row[column]).decode("utf-8", "replace")

    def named_rows(self, sql: str) -> list[dict[str, Any]]:
        """Run a query and return its rows by column name."""
        with translate_errors(), self._session.cursor(pymysql.cursors.DictCursor) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def variable(self, name: str) -> str | None:
        """Return a global server variable, None when the server has none of that name."""
        row = self.row("SHOW GLOBAL VARIABLES LIKE %s", (name,))
        return None if row is None else str(row[1])

    @property
    def reaches_present_server(self) -> bool:
        """Whether the server is the one that the settings name now: a failover changes it."""
        return self._address == self._settings.address

    @property
    def version(self) -> str:
        """The server's version text."""
        return str(self._session.get_server_info())

    @property
    def is_mariadb(self) -> bool:
        """Whether the server is MariaDB."""
        return "mariadb" in self.version.lower()

    @property
    def version_number(self) -> tuple[int, ...]:
        """The server's version as numbers; MariaDB's own, without the 5.5.5 put before it."""
        numbers = re.findall(r"\d+", self.version.removeprefix("5.5.5-"))
        return tuple(int(part) for part in numbers[:3])

    def literal(self, value: Any) -> str:
        """Return a number, a text, bytes or None as a literal of SQL."""
        if isinstance(value, bytes):
            return f"X'{value.hex()}'"
        return str(self._session.escape(value))

    def read_rows(self, sql: str) -> RowStream:
        """Run a SELECT and return its rows as packets, unread."""
        with translate_errors():
            self._session._execute_command(COMMAND.COM_QUERY, sql)  # noqa: SLF001 - rows are read by our own scanner
            result = MySQLResult(self._session)
            result.init_unbuffered_query()
        result.unbuffered_active = False  # else the driver, freeing it, would read what follows
        return RowStream(self._session, [definition.name for definition in result.fields])

    @property
    def id(self) -> int:
        """The server's number of this session, for KILL."""
        return int(self._session.thread_id())

    @property
    def socket(self) -> socket.socket:
        """The socket of the session, for a reader that replaces the driver."""
        return self._session._sock  # type: ignore[no-any-return]  # noqa: SLF001 - see send_command

    def send_command(self, number: int, body: bytes) -> None:
        """Send a command of the protocol and leave the answer unread."""
        with translate_errors():
            self._session._execute_command(number, body)  # noqa: SLF001 - the driver has statements only

    def interrupt(self) -> None:
        """Make a statement fail that another thread runs; the session is unusable then."""
        opened = self._session._sock  # noqa: SLF001 - to close it would not wake the other thread
        with suppress(OSError):  # it may have ended
            if opened is not None:
                socket.socket.shutdown(opened, socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the session; errors do not matter any more."""
        try:
            self._session.close()
        except (pymysql.err.MySQLError, OSError) as error:
            log.debug("closing a database session: %s", error)


class RowStream:
    """The packets of a result set after its column definitions; ``size`` counts their bytes."""

    def __init__(self, session: Any, columns: list[str]) -> None:
        self._session = session
        self.columns = columns
        self.size = 0

    def read(self) -> bytes:
        """Return the next bytes from the server; they start and end anywhere in a packet."""
        with translate_errors():
            data: bytes = self._session._rfile.read1()  # noqa: SLF001 - see read_rows
        if not data:
            raise DatabaseUnavailableError("the database closed the connection during a read")
        self.size += len(data)
        return data
