"""The programs that must be installed, and what to do where one is missing."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from typing import Final

from tools.stack.errors import StackError

_PACKAGES: Final = {
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "mvn": "maven",
    "npm": "npm",
    "setpriv": "util-linux",
}
OLDEST_JAVA: Final = 17

# Where Debian keeps servers; the path of a normal user lacks these folders.
_SYSTEM_FOLDERS: Final = "/usr/local/sbin:/usr/sbin:/sbin"


def find_program(name: str) -> str:
    """Return the path of a program.

    :raises StackError: when it is not installed; names the Debian package.
    """
    found = installed(name)
    if found is None:
        raise missing(f"The program {name} is not installed", _PACKAGES.get(name, name))
    return found


def installed(name: str) -> str | None:
    """Return the path of a program, or None."""
    return shutil.which(name) or shutil.which(name, path=_SYSTEM_FOLDERS)


@cache
def java() -> str:
    """Return the path of a Java that runs Kafka.

    :raises StackError: when there is none, or an older one than `OLDEST_JAVA`.
    """
    program = find_program("java")
    version = version_of(program, "-version")
    if version is None or version < (OLDEST_JAVA,):
        shown = ".".join(map(str, version or ())) or "of unknown version"
        raise missing(
            f"Java {OLDEST_JAVA} or newer is needed; {program} is {shown}",
            "openjdk-17-jdk-headless",
        )
    return program


def version_of(program: str, *arguments: str) -> tuple[int, ...] | None:
    """Return the first version number in what a program says of itself; None when it says none."""
    return parse_version(version_text(program, *arguments))


def version_text(program: str, *arguments: str) -> str:
    """Return what a program prints as its version."""
    answer = subprocess.run(  # noqa: S603 - a program found on the path, no shell
        [program, *arguments],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=30,
    )
    return answer.stdout


def parse_version(text: str) -> tuple[int, ...] | None:
    """Return the first dotted number of a text: ``Ver 10.11.19-MariaDB`` is (10, 11, 19)."""
    found = re.search(r"\d+(?:\.\d+)+|\b\d+\b", text)
    return tuple(map(int, found.group().split("."))) if found else None


def missing(what: str, package: str) -> StackError:
    """Build the error for a missing program."""
    return StackError(f"{what}. Remedy: apt-get install {package}")
