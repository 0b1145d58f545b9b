"""Prints the results of commands."""

from __future__ import annotations

import sys


def print_line(text: str) -> None:
    """Print one line of a result."""
    sys.stdout.write(f"{text}\n")
