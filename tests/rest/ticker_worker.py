"""A worker whose plugin table knows the ticker, run as a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from connector.daemon import Files, run
from tests.rest.ticker import TICKER_ROWS

if __name__ == "__main__":
    worker, *connectors = sys.argv[1:]
    sys.exit(run(Files(Path(worker), tuple(map(Path, connectors))), rows=TICKER_ROWS))
