"""The jars that pyspark lacks, as pinned by pom.xml beside this file.

``python -m sparksink jars`` copies them by Maven into the user's cache, so that starts need no
network.
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
    """Return the folder of the jars in the user's cache; another one as soon as the pom changes."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "millrace" / "jars" / hashlib.sha256(POM.read_bytes()).hexdigest()[:10]


def jars(place: Path | None = None) -> list[Path]:
    """Return the jars.

    :raises SinkError: there are none.
    """
    place = place or folder()
    found = sorted(place.glob("*.jar"))
    if not found:
        raise SinkError(f"There are no jars in {place}.", "Run: python -m sparksink jars")
    return found


def fetch(place: Path | None = None, options: Sequence[str] = ()) -> list[Path]:
    """Copy the jars by Maven unless they are there; ``options`` are Maven's.

    :raises SinkError: Maven is missing or fails.
    """
    place = place or folder()
    if not place.exists():
        partial = place.with_name(place.name + ".partial")
        _copy(partial, options)
        partial.rename(place)
    return jars(place)


def _copy(partial: Path, options: Sequence[str]) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise SinkError(
            "Maven is not installed, which fetches the jars.",
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
