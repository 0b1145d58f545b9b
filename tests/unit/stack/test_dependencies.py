"""What is imported is declared, and what is declared is imported."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
OWN = {"bench", "connector", "restapi", "sparksink", "tests", "tools"}
# Run as programs, or loaded by pytest.
TOOLS = {"mypy", "pytest-timeout", "ruff"}
# Modules of packages that only `make .venv/readers` installs.
READERS = {"deltalake": "deltalake", "pyiceberg": "pyiceberg"}


def declared(requirements: Iterable[str]) -> set[str]:
    """Return the names of the packages of some requirements."""
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def imported(*folders: str) -> set[str]:
    """Return the names of the packages that the code in some folders imports."""
    modules = set()
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module.partition(".")[0])
    packages = {**packages_distributions(), **{name: [READERS[name]] for name in READERS}}
    foreign = modules - OWN - set(sys.stdlib_module_names)
    return {canonicalize_name(packages[module][0]) for module in foreign}


DAEMON = declared(PROJECT["dependencies"])
SINK = declared(EXTRAS["sink"])


def test_the_daemon_declares_exactly_what_it_imports() -> None:
    assert imported("connector", "restapi") == DAEMON


def test_the_sink_declares_exactly_what_it_imports_in_addition() -> None:
    pytest.importorskip("pyspark")
    assert imported("sparksink") - DAEMON == SINK


def test_the_tests_declare_exactly_what_they_import_in_addition() -> None:
    pytest.importorskip("pyspark")
    found = imported("bench", "tests", "tools")
    assert found <= DAEMON | SINK | declared(EXTRAS["dev"]) | declared(EXTRAS["readers"])
    assert declared(EXTRAS["dev"]) - TOOLS <= found
    assert declared(EXTRAS["readers"]) <= found


def test_the_former_name_of_the_extra_is_an_alias() -> None:
    assert EXTRAS["spark"] == [f"{PROJECT['name']}[sink]"]
