"""Rows of many megabytes are left to Python, which releases each as soon as it is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from connector import native
from connector.converters.json import JsonConverter
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.native_rows import read_natively
from connector.mysql.session.text_rows import TextRows
from tests.fixtures.text_packets import packed
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.native.orders import NO_SCHEMAS, options, orders, rows_event
from tests.unit.native.random_tables import LETTERS, Described
from tests.unit.native.row_messages import change, compiled, in_python
from tests.unit.native.text_streams import check, stream

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
ROOT = Path(__file__).parents[3]
LARGE = native.MAX_BUFFER
HUGE = 20_000_000


@pytest.mark.parametrize("kind", list(LETTERS))
@pytest.mark.parametrize("size", [LARGE - 400, LARGE])
def test_python_reads_the_rows_of_large_events(kind: int, size: int) -> None:
    known = orders()
    images = 1 + (kind == written.UPDATE)
    event = rows_event(known, kind, size // images)
    rows = known.plan().rows(event)
    assert native.is_native(rows) == (len(event.data) <= LARGE) == (size < LARGE)
    expected = in_python(known, event)
    values = JsonConverter(NO_SCHEMAS)
    assert compiled(options(), values, change(known, event, rows)) == compiled(
        options(), values, change(known, event, expected)
    )


def test_python_reads_small_events_from_a_large_buffer() -> None:
    """Rows of the core would keep the whole buffer."""
    known = orders()
    event = rows_event(known, written.WRITE, 10, rows=3)
    assert native.is_native(known.plan().rows(event))
    event.data += bytes(LARGE)
    rows = known.plan().rows(event)
    assert not native.is_native(rows)
    assert len(rows) == 3


def test_python_reads_the_large_rows_of_a_snapshot() -> None:
    known = orders()
    small, large = packed((b"1", b"a")), packed((b"2", b"b" * LARGE))
    data = small * 3 + large + small * 2
    sizes = [len(small) * 3, len(large), len(small) * 2]
    columns = [codec.as_selected() for codec in known.codec.columns]
    batches = list(read_natively(TextRows(columns), stream(data, list(sizes))))
    found = [(native.is_native(batch), len(batch)) for batch in batches if batch]
    assert found == [(True, 3), (False, 1), (True, 2)]
    check(known, data, list(sizes), JsonConverter(NO_SCHEMAS))


@pytest.mark.parametrize("kind", list(LETTERS))
def test_huge_rows_take_no_more_memory_than_in_python(kind: int) -> None:
    core, python = (peak_megabytes(kind, MILLRACE_NATIVE=flag) for flag in ("1", "0"))
    assert core <= python + 5  # MB


def peak_megabytes(kind: int, **settings: str) -> int:
    """Return what a new process needs at most to decode and write a huge row."""
    code = f"from {__name__} import measure; print(measure({kind}))"
    run = [sys.executable, "-c", code]
    environment = {**os.environ, **settings}
    done = subprocess.run(
        run, check=True, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    return int(done.stdout)


def measure(kind: int) -> int:
    known, plan = orders(), orders().plan()
    compiled(options(), JsonConverter(), _change(known, plan, rows_event(known, kind, 10)))
    event = rows_event(known, kind, HUGE)
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again
    assert compiled(options(), JsonConverter(), _change(known, plan, event))
    return _memory("VmHWM") - before


def _change(known: Described, plan: Any, event: RowsChanged) -> Any:
    rows = plan.rows(event)
    event.release_images()
    return change(known, event, rows)


def _memory(name: str) -> int:
    [line] = [
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith(f"{name}:")
    ]
    return int(line.split()[1]) // 1000
