"""What the measurements hold for: the machine and the versions."""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

import psutil

from connector.version import VERSION
from tools.stack import DatabaseServer


def facts(server: DatabaseServer) -> dict[str, str]:
    """Return the circumstances of a run, in the order in which they are printed."""
    memory = psutil.virtual_memory().total / 2**30
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{os.cpu_count()} cores of {processor()}, {memory:.0f} GB",
        "load": f"{os.getloadavg()[0]:.1f} before the start",
        "system": f"Linux {platform.release()}, Python {platform.python_version()}",
        "database": f"{server.name} {server.query('SELECT VERSION()')[0][0]}",
        "Millrace": VERSION,
    }


def processor(description: Path = Path("/proc/cpuinfo")) -> str:
    """Return the name of the processor."""
    found = re.search(r"^model name\s*:\s*(.+)$", description.read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()
