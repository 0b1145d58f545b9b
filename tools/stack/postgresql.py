"""A PostgreSQL server, for what writes into one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from tools.stack.accounts import ROOT
from tools.stack.child import run
from tools.stack.ports import is_open
from tools.stack.programs import find_program, missing
from tools.stack.server import Server

_DEBIAN: Final = Path("/usr/lib/postgresql")


class PostgreSql(Server):
    """An installed PostgreSQL with one account, `ROOT`, that needs no password."""

    name: ClassVar[str] = "postgresql"

    def prepare(self) -> None:
        """Make the data folder; about 2 s."""
        options = [f"--pgdata={self._data}", f"--username={ROOT.user}", "--auth=trust"]
        more = ["--encoding=UTF8", "--locale=C", "--no-sync"]
        run([*_as_other(), _program("initdb"), *options, *more], self.folder / "initialize.log")

    def command(self) -> Sequence[str | Path]:
        """Return the command line."""
        settings = {
            "listen_addresses": self.host,
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",
            "jit": "off",
        }
        pairs = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [*_as_other(), _program("postgres"), "-D", self._data, *pairs]

    def answers(self) -> bool:
        """Return whether it accepts connections."""
        return is_open(self.port) and "ready to accept connections" in self.tail()

    def query(self, statement: str) -> list[list[str]]:
        """Run SQL and return its rows as texts; NULL is an empty one."""
        done = subprocess.run(  # noqa: S603 - a program that is installed, no shell
            [
                *(_program("psql"), f"--host={self.host}", f"--port={self.port}"),
                *(f"--username={ROOT.user}", "--dbname=postgres", "--no-psqlrc", "--quiet"),
                *("--tuples-only", "--no-align", "--field-separator=\t", "--command", statement),
            ],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return [line.split("\t") for line in done.stdout.splitlines()]

    @property
    def _data(self) -> Path:
        return self.folder / "data"


def newest() -> Path | None:
    """Return the folder of the newest installed PostgreSQL's programs, None where there is none."""
    found = [path for path in _DEBIAN.glob("*/bin") if (path / "initdb").is_file()]
    return max(found, key=lambda path: int(path.parent.name), default=None)


def _program(name: str) -> str:
    folder = newest()
    if folder is None:
        raise missing("PostgreSQL is not installed", "postgresql")
    return str(folder / name)


def _as_other() -> list[str]:
    """Return what lets a server that refuses root run as root: it sees another user.

    The new name costs the signal that ends it with its parent, which is requested once more.
    """
    if os.geteuid() != 0:
        return []
    other = ["--user", "--map-user=1000", "--map-group=1000", "--"]
    return [
        *(find_program("unshare"), *other),
        *(find_program("setpriv"), "--pdeathsig", "KILL", "--"),
    ]
