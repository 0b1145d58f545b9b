"""`python -m tools.lock`: write the lock files from pyproject.toml, at today's newest versions.

requirements.lock          the daemon's packages, with all that they depend on
requirements-spark.lock    in addition, those of the Spark sink
requirements-dev.lock      in addition to requirements.lock, those of development and tests
requirements-readers.lock  in addition to all, those of other readers of the sink's tables
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

ROOT: Final = Path(__file__).parents[1]
_HEAD: Final = "# Exact versions for {purpose}. Made by: make lock\n"


def main() -> None:
    """Resolve each group with the versions of those before it, and write the files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needs = project["project"]["dependencies"]
    extras = project["project"]["optional-dependencies"]
    dev = [*needs, *extras["dev"], *project["build-system"]["requires"]]

    everything = resolve(dev, {})
    daemon = resolve(needs, everything)
    sink = resolve([*needs, *extras["sink"]], everything)
    all_pins = everything | sink
    readers = resolve([*dev, *extras["sink"], *extras["readers"]], all_pins)

    write("requirements.lock", "running Millrace", daemon)
    write("requirements-dev.lock", "development", without(everything, daemon), "requirements.lock")
    write("requirements-spark.lock", "the Spark sink", without(sink, daemon))
    others = without(readers, all_pins)
    write("requirements-readers.lock", "the tests that read the sink's tables", others)


def resolve(requirements: Iterable[str], pins: Mapping[str, str]) -> dict[str, str]:
    """Return package → version of what pip would install into an empty environment."""
    with NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.writelines(lines(pins))
        constraints.flush()
        report = subprocess.run(  # noqa: S603 - pip of this very environment
            [
                *(sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"),
                *("--quiet", "--report=-", f"--constraint={constraints.name}"),
                *requirements,
            ],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    found = (item["metadata"] for item in json.loads(report.stdout)["install"])
    return {item["name"].lower().replace("_", "-"): item["version"] for item in found}


def without(packages: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return the packages that are not among the others."""
    return {name: version for name, version in packages.items() if name not in others}


def write(name: str, purpose: str, packages: Mapping[str, str], included: str = "") -> None:
    """Write one lock file."""
    head = _HEAD.format(purpose=purpose) + (f"-r {included}\n" if included else "")
    (ROOT / name).write_text(head + "".join(lines(packages)))


def lines(packages: Mapping[str, str]) -> list[str]:
    """Return the packages as sorted requirement lines."""
    return [f"{name}=={version}\n" for name, version in sorted(packages.items())]


if __name__ == "__main__":
    main()
