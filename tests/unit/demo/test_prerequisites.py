import os
import subprocess
import sys
from pathlib import Path

from tools.prerequisites import PACKAGES

ROOT = Path(__file__).parents[3]


def test_all_missing_packages_are_named_in_one_apt_line(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tools.prerequisites", *PACKAGES],
        cwd=ROOT,
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 1
    assert "apt-get install default-jdk-headless maven\n" in answer.stderr


def test_nothing_is_printed_when_all_is_installed(tmp_path: Path) -> None:
    for program in PACKAGES:
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    answer = subprocess.run(
        [sys.executable, "-m", "tools.prerequisites", *PACKAGES],
        cwd=ROOT,
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stderr) == (0, "")
