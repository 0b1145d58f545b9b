"""The jars that pyspark lacks, as pinned by pom.xml beside this file.

``python -m sparksink.jars FOLDER`` copies them by Maven, so that starts need no network.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sparksink.errors import SinkError

POM: Final = Path(__file__).with_name("pom.xml")
_FOLDER: Final = Path(__file__).parents[1] / "build" / "jars"


def folder() -> Path:
    """Return where the jars lie unless told; another folder as soon as the pom changes."""
    return _FOLDER / hashlib.sha256(POM.read_bytes()).hexdigest()[:10]


def jars(place: Path | None = None) -> list[Path]:
    """Return the jars.

    :raises SinkError: there are none.
    """
    place = place or folder()
    found = sorted(place.glob("*.jar"))
    if not found:
        raise SinkError(f"There are no jars in {place}.", "Remedy: python -m sparksink.jars")
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
        raise SinkError("Maven is not installed.", "Remedy: apt-get install maven")
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


def main(arguments: Sequence[str]) -> int:
    """Fetch into a folder and print the jars as ``spark-submit --jars`` takes them."""
    found = fetch(Path(arguments[0]) if arguments else None)
    sys.stdout.write(",".join(map(str, found)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
