"""``python -m sparksink``: makes its own Spark on this machine."""

from __future__ import annotations

import os
import sys

from sparksink.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, own_session=True))
