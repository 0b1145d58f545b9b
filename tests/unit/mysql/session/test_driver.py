"""What is relied on of the driver beyond its documentation; pyproject.toml bounds its versions."""

from __future__ import annotations

import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

import pymysql
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pymysql.connections import MySQLResult

ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize("name", ["pymysql", "mysql-replication"])
def test_versions_are_bounded(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {canonicalize_name(r.name): r for r in map(Requirement, project["dependencies"])}
    specifier = needed[canonicalize_name(name)].specifier
    assert any(part.operator == "<" for part in specifier)
    assert specifier.contains(version(name))


def test_a_connection_has_the_private_members_that_are_used() -> None:
    connection = pymysql.Connection(defer_connect=True)
    for name in ("_sock", "_rfile", "_result", "_ssl_required"):
        assert hasattr(connection, name), name
    assert list(inspect.signature(connection._execute_command).parameters) == ["command", "sql"]
    result = MySQLResult(connection)
    assert result.unbuffered_active is False
    assert callable(result.init_unbuffered_query)
