"""The entry point for ``spark-submit``, which provides the session."""

from __future__ import annotations

import sys
from pathlib import Path

# Submitted from its folder, only this file is on the path; with --py-files the package is, too.
sys.path.append(str(Path(__file__).parents[1]))

from sparksink.entry import start

if __name__ == "__main__":
    sys.exit(start(own_session=False))
