"""The version of Millrace."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Final


def _installed_version() -> str:
    try:
        return version("millrace-cdc")
    except PackageNotFoundError:  # a source tree that is not installed
        return "0+unknown"


VERSION: Final = _installed_version()
