"""A fault of the core, which no input is known to cause, ends the task instead of losing rows."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import pytest

from connector import native
from connector.converters.json import JsonConverter
from connector.errors import Stop, decide
from connector.mysql.binlog.events import RowsChanged
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.native.orders import NO_SCHEMAS, options, orders, rows_event
from tests.unit.native.row_messages import change, compiled

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
_HEADER = sys.getsizeof(b"") - 1  # of an object of Python's, before the bytes


def damage(event: RowsChanged) -> None:
    """Overwrite the length of a text in rows that were read already, as no program should."""
    at = event.data.index(b"x" * 10) - 4
    ctypes.memset(id(event.data) + _HEADER + at, 255, 1)


def test_a_panic_ends_the_task_with_its_cause_and_a_remedy() -> None:
    known = orders()
    event = rows_event(known, written.WRITE, 10, rows=3)
    rows: Any = known.plan().rows(event)
    assert native.is_native(rows)
    damage(event)
    with pytest.raises(BaseException, match="index out of bounds") as caught:
        compiled(options(), JsonConverter(NO_SCHEMAS), change(known, event, rows))
    error = caught.value
    assert not isinstance(error, Exception)  # errors.tolerance=all skips those of a record
    decision = decide(error)
    assert isinstance(decision, Stop)
    first = decision.trace.splitlines()[0]
    assert first.startswith("PanicException: The native row core failed when it wrote rows: index")
    assert "MILLRACE_NATIVE=0" in first
