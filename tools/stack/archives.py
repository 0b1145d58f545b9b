"""Unpacking downloaded archives."""

from __future__ import annotations

from pathlib import Path

from tools.stack.child import run
from tools.stack.programs import find_program


def unpack(archive: Path, folder: Path, log: Path) -> None:
    """Unpack a .tar.gz into a folder; `tar` itself keeps out of everything else."""
    run(
        [
            find_program("tar"),
            "--extract",
            "--gzip",
            "--no-same-owner",
            f"--file={archive}",
            f"--directory={folder}",
        ],
        log,
    )
