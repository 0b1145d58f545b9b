"""The entry for ``spark-submit``: the session is the one that was submitted."""

from __future__ import annotations

import sys
from pathlib import Path

# Submitted from its folder, this file is alone on the path; with --py-files nothing is to do.
sys.path.append(str(Path(__file__).parents[1]))

from sparksink.entry import start

if __name__ == "__main__":
    sys.exit(start(own_session=False))
