"""The jars that pyspark lacks, as pinned by pom.xml beside this file.

``python -m sparksink jars`` copies them with Maven into the user's cache, so that jobs start
without network access.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sparksink.errors import SinkError

POM: Final = Path(__file__).with_name("pom.xml")


def folder() -> Path:
    """Return the folder of the jars in the user's cache; it changes with the pom."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "millrace" / "jars" / hashlib.sha256(POM.read_bytes()).hexdigest()[:10]


def jars(directory: Path | None = None) -> list[Path]:
    """Return the jars.

    :raises SinkError: the folder has none.
    """
    directory = directory or folder()
    found = sorted(directory.glob("*.jar"))
    if not found:
        raise SinkError(f"There are no jars in {directory}.", "Run: python -m sparksink jars")
    return found


def fetch(directory: Path | None = None, options: Sequence[str] = ()) -> list[Path]:
    """Copy the jars with Maven unless they exist; ``options`` are passed to Maven.

    :raises SinkError: Maven is missing or fails.
    """
    directory = directory or folder()
    if not directory.exists():
        partial = directory.with_name(directory.name + ".partial")
        _copy(partial, options)
        partial.rename(directory)
    return jars(directory)


def _copy(partial: Path, options: Sequence[str]) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise SinkError(
            "Maven, which downloads the jars, is not installed.",
            "Install it (Debian: apt-get install maven).",
        )
    partial.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(partial, ignore_errors=True)
    done = subprocess.run(  # noqa: S603 - a program found on the path, no shell
        [
            maven, "--batch-mode", "--no-transfer-progress", "--quiet", f"--file={POM}",
            "dependency:copy-dependencies", f"-DoutputDirectory={partial}",
            "-DincludeScope=runtime", *options,
        ],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    if done.returncode:
        raise SinkError(f"Maven failed:\n{done.stdout[-2000:]}")
