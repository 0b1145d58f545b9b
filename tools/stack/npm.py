"""Packages from npm, unpacked into a folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from tools.stack.archives import unpack
from tools.stack.child import run
from tools.stack.folders import once
from tools.stack.programs import find_program


def npm_package(downloads: Path, name: str, version: str) -> Path:
    """Return the folder with the files of one npm package; none of its scripts runs."""

    def build(folder: Path) -> None:
        log = downloads / f"{name}.log"
        run(
            [
                find_program("npm"),
                "pack",
                f"{name}@{version}",
                f"--pack-destination={folder}",
                f"--cache={folder / 'cache'}",
            ],
            log,
        )
        (archive,) = folder.glob("*.tgz")
        unpack(archive, folder, log)
        archive.unlink()
        shutil.rmtree(folder / "cache", ignore_errors=True)

    return once(downloads / f"{name}-{version}", f"{name} (npm)", build) / "package"
