"""What MySQL and MariaDB servers have in common."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import pymysql

from tools.stack.accounts import ROOT, Account
from tools.stack.folders import Workspace
from tools.stack.ports import is_open
from tools.stack.server import Server

# Quick: the logs are written at commit and not synced. Rows and binlog survive the end of
# the server process as such; what is torn in the middle of a page is not repaired.
_QUICK: Final = (
    "--sync-binlog=0",
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-doublewrite=0",
)
_DURABLE: Final = (
    "--sync-binlog=1",
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-doublewrite=1",
)


class DatabaseServer(Server):
    """A database server that writes a binlog of rows.

    ``options`` are server options that win over those given here; ``durable`` makes every
    commit reach the disk, for tests that kill the database.
    """

    reset_binlog_statement: ClassVar[str] = "RESET MASTER"
    connector_class: ClassVar[str]

    def __init__(
        self, workspace: Workspace, *, options: Sequence[str] = (), durable: bool = False
    ) -> None:
        super().__init__(workspace)
        self.options = tuple(options)
        self._durable = durable

    @property
    def data(self) -> Path:
        """The data folder: tables, binlog files, and MySQL's generated TLS certificates."""
        return self.folder / "data"

    def connect(self, account: Account = ROOT, **arguments: Any) -> pymysql.Connection[Any]:
        """Return a new connection, with autocommit and utf8mb4 unless ``arguments`` say else.

        It is not encrypted: reading the system's certificates costs more than the connection.
        """
        defaults: dict[str, Any] = {"autocommit": True, "charset": "utf8mb4", "ssl_disabled": True}
        return pymysql.connect(
            host=self.host,
            port=self.port,
            user=account.user,
            password=account.password,
            **(defaults | arguments),
        )

    def execute(self, *statements: str) -> None:
        """Run SQL as root."""
        with self.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def query(self, statement: str, *arguments: object) -> list[tuple[Any, ...]]:
        """Run one SQL statement as root and return its rows."""
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(statement, arguments or None)
            return list(cursor.fetchall())

    def reset_binlog(self) -> None:
        """Delete all binlog files and the GTID history."""
        self.execute(self.reset_binlog_statement)

    def start(self) -> None:
        """Start the server; the first time it makes the accounts."""
        super().start()
        self._accounts.unlink(missing_ok=True)

    def answers(self) -> bool:
        """Return whether root can log in, which the first start makes possible last."""
        if not is_open(self.port):
            return False
        try:
            self.connect(connect_timeout=5).close()
        except pymysql.err.OperationalError:
            return False
        return True

    def command(self) -> Sequence[str]:
        """Return the command line."""
        accounts = [f"--init-file={self._accounts}"] if self._accounts.exists() else []
        return [
            *self.program(),
            *self.base_options(),
            *(_DURABLE if self._durable else _QUICK),
            *accounts,
            *self.options,
        ]

    def folders(self) -> list[str]:
        """Return the options that give the server folders of its own, for every call of it.

        The one for temporary tables too: a server that starts removes what looks like a
        leftover there, and in a shared folder takes other servers' tables for that. It leaves
        the file by which a replica that was killed tried the folder, and then does not replicate.
        """
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        for tried in temporary.glob("SQL_LOAD-*"):
            tried.unlink()
        return [f"--datadir={self.data}", f"--tmpdir={temporary}"]

    def base_options(self) -> list[str]:
        """Return the options that all servers understand."""
        return [
            *self.folders(),
            "--bind-address=127.0.0.1",
            f"--port={self.port}",
            "--socket=server.sock",
            "--pid-file=server.pid",
            "--secure-file-priv=",
            "--skip-name-resolve",
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--binlog-row-image=FULL",
        ]

    @abstractmethod
    def program(self) -> list[str]:
        """Return the server program and the options that must come first."""

    def write_accounts(self, statements: Iterable[str]) -> None:
        """Have the first start run these statements, unseen by the binlog."""
        quiet = ("SET SESSION sql_log_bin = 0", *statements)
        self._accounts.write_text("".join(f"{statement};\n" for statement in quiet))

    @property
    def _accounts(self) -> Path:
        return self.folder / "accounts.sql"


def as_root() -> list[str]:
    """Return the option without which a server refuses to run as root."""
    return ["--user=root"] if os.geteuid() == 0 else []
