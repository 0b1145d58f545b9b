"""The id of one run of a task, which headers of its messages have."""

from __future__ import annotations

import time
import uuid


def new_run_id() -> str:
    """Return a UUID of version 7: it begins with the time, as Debezium's run ids do."""
    milliseconds = time.time_ns() // 1_000_000
    value = milliseconds << 80 | (uuid.uuid4().int & (1 << 80) - 1)
    value = value & ~(0xF << 76) | 7 << 76
    return str(uuid.UUID(int=value & ~(0b11 << 62) | 0b10 << 62))
