"""Starts the command line, and reports a missing package in one sentence."""

from __future__ import annotations

import os
import sys
from typing import Final

_PACKAGES: Final = {
    "httpx": "httpx",
    "prometheus_client": "prometheus-client",
    "pyarrow": "pyarrow",
    "pydantic": "pydantic",
    "pyspark": "pyspark",
    "yaml": "pyyaml",
}
"""Imported module → the package that provides it."""


def main() -> int:
    """Run ``millrace-sink`` with its own Spark session; return its exit status."""
    return start(own_session=True)


def start(*, own_session: bool) -> int:
    """Run the command of the process's arguments; return its exit status."""
    try:
        from sparksink.cli import main  # noqa: PLC0415 - it imports other packages

        return main(sys.argv[1:], os.environ, own_session=own_session)
    except ModuleNotFoundError as error:
        package = _PACKAGES.get((error.name or "").partition(".")[0])
        if package is None:
            raise
        sys.stderr.write(
            f"The Python package {package} is not installed. "
            "Run: pip install 'millrace-cdc[sink]'\n"
        )
        return 1
