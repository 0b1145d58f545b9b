"""The Java that Spark runs on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from sparksink.errors import SinkError

OLDEST: Final = 17
_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')
_REMEDY: Final = f"Install Java {OLDEST} or later (Debian: apt-get install default-jre-headless)."


def check_java() -> None:
    """Check that Spark can use the installed Java.

    :raises SinkError: Java is missing or too old.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        raise SinkError("Spark needs Java, which is not on the PATH.", _REMEDY)
    try:
        done = subprocess.run(  # noqa: S603 - a fixed argument, no shell
            [java, "-version"], check=False, capture_output=True, text=True
        )
    except OSError as error:
        raise SinkError(f"{java} (JAVA_HOME) cannot be run: {error.strerror}.", _REMEDY) from None
    found = _VERSION.search(done.stderr + done.stdout)
    if found and int(found[1]) < OLDEST:
        raise SinkError(f"{java} is Java {found[1]}, which is too old for Spark 4.1.", _REMEDY)
