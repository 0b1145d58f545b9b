"""`python3 -m deploy.prerequisites [PROGRAM …]`: look whether all that make needs is installed.

Runs before the virtual environment is there, so with the system's Python, of whatever version,
and with its standard library alone. All that is missing is told at once, with the one line that
installs it on Debian.
"""

import importlib.util
import shutil
import sys

OLDEST_PYTHON = (3, 11)
PACKAGES = {"java": "default-jdk-headless", "mvn": "maven"}


def main(programs: "list[str]") -> int:
    """Tell what is missing; return the exit status, 0 when nothing is."""
    if sys.version_info < OLDEST_PYTHON:
        sys.stderr.write(
            "Python 3.11 or newer is needed, this is {}.{}. ".format(*sys.version_info)
            + "Remedy: make PYTHON=/path/to/a/newer/python3 …\n"
        )
        return 1
    packages = missing(programs)
    if packages:
        sys.stderr.write(
            "Not everything that is needed is installed. Remedy:\n\n"
            "  apt-get install {}\n\n".format(" ".join(packages))
        )
    return 1 if packages else 0


def missing(programs: "list[str]") -> "list[str]":
    """Return the Debian packages of what is not here: the programs, and Python's venv."""
    packages = [PACKAGES[program] for program in programs if not shutil.which(program)]
    # Debian keeps what makes virtual environments in a package of its own.
    return packages if importlib.util.find_spec("ensurepip") else ["python3-venv", *packages]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
