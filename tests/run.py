"""Runs the tests in three processes: ``python -m tests.run -m "not slow"``.

The daemon's tests mostly wait for their servers, of which each process starts its own; those of
the sink, and unit tests at the end, use the processors meanwhile.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

_TESTS: Final = Path(__file__).parent
_NOTHING_CHOSEN: Final = pytest.ExitCode.NO_TESTS_COLLECTED
_GROUPS: Final = {
    "bytes": ("conformance", "recovery", "unit"),  # in this order; so the groups end together
    "sink": ("sink",),
}
_SUMMARY: Final = "short test summary info"
_BEGAN: Final = time.monotonic()
_KEPT: Final = 200
_SHOWN: Final = 15
_REST: Final = "worker"
"""All other folders. Debezium runs at the start of one group and at the end of another."""


def _groups() -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = {name: [] for name in (*_GROUPS, _REST)}
    for folder in sorted(_TESTS.iterdir()):
        if any(folder.rglob("test_*.py")):
            name = next((n for n, names in _GROUPS.items() if folder.name in names), _REST)
            groups[name].append(folder)
    return groups


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How a group ended: the status of its process and the end of what it printed."""

    name: str
    status: int
    last_lines: Sequence[str]

    @property
    def failed(self) -> bool:
        return self.status not in (0, _NOTHING_CHOSEN)  # negative: a signal ended the process

    def summary(self) -> str:
        """Return what pytest says of the failures, else the last lines before the end."""
        lines = list(self.last_lines)
        starts = [number for number, line in enumerate(lines) if _SUMMARY in line]
        return "".join(lines[starts[-1] if starts else -_SHOWN :])


def _run(name: str, folders: Sequence[Path], options: Sequence[str]) -> _Outcome:
    """Run the tests of some folders; relay each line that pytest prints, with the time."""
    command = [sys.executable, "-m", "pytest", *options, *map(str, folders)]
    kept: deque[str] = deque(maxlen=_KEPT)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            kept.append(line)
            _relay(name, line)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    processors = int(usage.ru_utime + usage.ru_stime)
    _relay(name, f"{processors} s of the processors, with its servers\n")
    return _Outcome(name, process.returncode, kept)


def _relay(name: str, line: str) -> None:
    seconds = int(time.monotonic() - _BEGAN)
    sys.stdout.write(f"{seconds // 60:2}:{seconds % 60:02} {name:6} | {line}")
    sys.stdout.flush()


def main(options: Sequence[str]) -> int:
    """Run all groups; the failures come last, and the status is 0 if nothing failed."""
    groups = _groups()
    with ThreadPoolExecutor(len(groups)) as threads:
        runs = [threads.submit(_run, name, folders, options) for name, folders in groups.items()]
        outcomes = [run.result() for run in runs]
    failed = [outcome for outcome in outcomes if outcome.failed]
    for outcome in failed:
        sys.stdout.write(f"\n{outcome.name} failed with status {outcome.status}\n")
        sys.stdout.write(outcome.summary())
    return 1 if failed else min(outcome.status for outcome in outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
