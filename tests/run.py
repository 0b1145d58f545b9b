"""Runs the tests in three processes: ``python -m tests.run -m "not slow"``.

The daemon's tests mostly wait for their servers, of which each process starts its own; unit tests
and those of the sink use the processors meanwhile.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

_TESTS: Final = Path(__file__).parent
_NOTHING_CHOSEN: Final = pytest.ExitCode.NO_TESTS_COLLECTED
_GROUPS: Final = {
    "bytes": ("conformance", "recovery"),
    "sink": ("sink", "unit"),  # no test of these has a limit of time that matters
}
_REST: Final = "worker"
"""All other folders. Debezium runs at the start of one group and at the end of another."""


def _groups() -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = {name: [] for name in (*_GROUPS, _REST)}
    for folder in sorted(_TESTS.iterdir()):
        if any(folder.rglob("test_*.py")):
            name = next((n for n, names in _GROUPS.items() if folder.name in names), _REST)
            groups[name].append(folder)
    return groups


def _run(name: str, folders: Sequence[Path], options: Sequence[str]) -> int:
    """Run the tests of some folders, relay each line that pytest prints, and return its status."""
    command = [sys.executable, "-m", "pytest", *options, *map(str, folders)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(f"{name:6} | {line}")
            sys.stdout.flush()
    return process.returncode


def main(options: Sequence[str]) -> int:
    """Run both groups; the status is 0 if all tests passed that were chosen."""
    groups = _groups()
    with ThreadPoolExecutor(len(groups)) as threads:
        runs = [threads.submit(_run, name, folders, options) for name, folders in groups.items()]
        statuses = {run.result() for run in runs}
    failed = statuses - {0, _NOTHING_CHOSEN}  # negative: a signal ended the process
    return 1 if failed else min(statuses)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
