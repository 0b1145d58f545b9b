"""A MariaDB server."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from tools.stack.accounts import modern_statements
from tools.stack.child import run
from tools.stack.database import DatabaseServer, as_root
from tools.stack.debian import foreign_command, unpack_package
from tools.stack.errors import StackError
from tools.stack.programs import find_program, installed

# The SQL that makes the system tables, in its order; what `mariadb-install-db` runs except
# the help texts.
_SYSTEM_TABLES: Final = (
    "mysql_system_tables.sql",
    "mysql_performance_tables.sql",
    "mysql_system_tables_data.sql",
    "maria_add_gis_sp_bootstrap.sql",
    "mysql_sys_schema.sql",
)
# Root of localhost by socket only, so that no account without password is left.
_PREAMBLE: Final = "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = 'root';\n"


class MariaDb(DatabaseServer):
    """An installed MariaDB, or else MariaDB 10.11 from Debian's package."""

    name: ClassVar[str] = "mariadb"
    connector_class: ClassVar[str] = "io.debezium.connector.mariadb.MariaDbConnector"

    def prepare(self) -> None:
        """Make the data folder; about 1 s."""
        tables = self.folder / "system-tables.sql"
        parts = [(self._share / name).read_text() for name in _SYSTEM_TABLES]
        tables.write_text(_PREAMBLE + "\n".join(parts))
        self.data.mkdir()
        run(
            [
                *self.program(),
                "--bootstrap",
                *self.folders(),
                "--max-allowed-packet=8M",
                "--log-warnings=0",
                *self.options,
            ],
            self.folder / "initialize.log",
            stdin=tables,
        )
        self.write_accounts(modern_statements())

    def program(self) -> list[str]:
        """Return the program and the options that must come first."""
        return [
            *mariadb_command(self.downloads),
            "--no-defaults",
            *as_root(),
            f"--lc-messages-dir={self._share}",
            f"--character-sets-dir={self._share / 'charsets'}",
        ]

    def base_options(self) -> list[str]:
        """Return the options of this server."""
        return [*super().base_options(), "--server-id=110", "--binlog-row-metadata=MINIMAL"]

    @property
    def _share(self) -> Path:
        root = mariadb_root(self.downloads)
        return share_folder(root / "usr" if root else Path("/usr"))


def mariadb_root(downloads: Path) -> Path | None:
    """Return the folder of the unpacked server; None when one is installed."""
    if installed("mariadbd"):
        return None
    return unpack_package(downloads, "mariadb-server-core", "bookworm")


def mariadb_command(downloads: Path) -> list[str]:
    """Return the command of the installed server, or else of the unpacked one."""
    root = mariadb_root(downloads)
    return foreign_command(root, "usr/sbin/mariadbd") if root else [find_program("mariadbd")]


def share_folder(prefix: Path) -> Path:
    """Return the folder of a MariaDB's SQL files and messages.

    :raises StackError: when it is not where Debian or MariaDB's own packages have it.
    """
    for name in ("mysql", "mariadb"):
        folder = prefix / "share" / name
        if (folder / _SYSTEM_TABLES[0]).is_file():
            return folder
    raise StackError(
        f"MariaDB's files are not below {prefix / 'share'}. "
        "Remedy: apt-get install mariadb-server-core"
    )
