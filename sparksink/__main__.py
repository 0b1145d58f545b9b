"""``python -m sparksink``: creates a local Spark session."""

from __future__ import annotations

import sys

from sparksink.entry import start

if __name__ == "__main__":
    sys.exit(start(own_session=True))
