"""Memory does not grow with the number of tables: 5,000 of them in Avro, each with its schemas."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.many_tables import PATHS
from tests.fixtures.scripted_registry import scripted_registry

ROOT = Path(__file__).parents[3]
_TABLES = 5_000  # the half of it is more than are kept ready
_BOUND = 300.0


def _megabytes(path: str) -> list[float]:
    """Return the memory that a process has gained after half of the tables, all, and all again."""
    with scripted_registry() as registry:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fixtures.many_tables", registry.url, path, str(_TABLES)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    found: list[float] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_tables_in_avro(path: str) -> None:
    half, first, second = _megabytes(path)
    print(f"{path}: {_TABLES // 2} tables {half} MB, {_TABLES} {first} MB, altered {second} MB")
    assert second < _BOUND
    assert first < half * 1.2 + 10, "memory grows with the number of tables"
    assert second < first * 1.1 + 10, "memory grows with the number of versions"
