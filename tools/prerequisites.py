"""`python3 -m tools.prerequisites [PROGRAM …]`: install what make needs.

Runs before the virtual environment exists, so with the system's Python, of whatever version,
and with its standard library alone. On Debian, root gets what is missing installed; other
users get the one line that installs all of it. Programs that only add
tests (`EXTRA`) are installed the same way, and done without where that is not possible.
"""

import importlib.util
import os
import shutil
import subprocess
import sys

OLDEST_PYTHON = (3, 11)
PACKAGES = {"javac": "default-jdk-headless", "mvn": "maven"}
EXTRA = {"mariadbd": "mariadb-server-core", "npm": "npm"}
_PATH = os.environ.get("PATH", "") + ":/usr/sbin"


def main(programs: "list[str]") -> int:
    """Install or name what is missing; return the exit status, 0 when nothing needed is."""
    if sys.version_info < OLDEST_PYTHON:
        sys.stderr.write(
            "Python 3.11 or newer is needed, this is {}.{}. ".format(*sys.version_info)
            + "Remedy: make PYTHON=/path/to/a/newer/python3 …\n"
        )
        return 1
    packages = missing(programs)
    if packages and os.geteuid() == 0 and shutil.which("apt-get"):
        return _install(packages, needed=bool(_needed(packages)))
    if _needed(packages):
        sys.stderr.write(
            "Not everything that is needed is installed. Remedy:\n\n"
            "  apt-get install {}\n\n".format(" ".join(_needed(packages)))
        )
        return 1
    if packages:
        sys.stderr.write(f"Not installed, so tests that need it are left out: {packages}\n")
    return 0


def missing(programs: "list[str]") -> "list[str]":
    """Return the Debian packages of what is not here: the programs, and Python's venv."""
    known = {**PACKAGES, **EXTRA}
    packages = [known[program] for program in programs if not shutil.which(program, path=_PATH)]
    # Debian keeps what makes virtual environments in a package of its own.
    return packages if importlib.util.find_spec("ensurepip") else ["python3-venv", *packages]


def _needed(packages: "list[str]") -> "list[str]":
    return [package for package in packages if package not in EXTRA.values()]


def _install(packages: "list[str]", *, needed: bool) -> int:
    sys.stderr.write("installing with apt-get: {}\n".format(" ".join(packages)))
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["update", "-qq"],
        ["install", "-y", "-qq", "--no-install-recommends", *packages],
    ):
        # Names of packages from the tables above only, and root's own PATH.
        done = subprocess.run(["apt-get", *command], env=quiet, check=False, stdout=sys.stderr)  # noqa: S603, S607
        if done.returncode:
            return done.returncode if needed else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
