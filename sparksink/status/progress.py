"""Formats a batch as a line, and the state of all tables as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from sparksink.state.table_result import TableResult

WAITS: Final = "ok; removes rows that its snapshot lacks once all partitions are read"


def batch_line(number: int, done: Sequence[TableResult], seconds: float) -> str:
    """Return the line of a batch: ``batch 7: 1,200 changes of 3 tables in 4.1 s, 293/s``."""
    changes = sum(one.changes for one in done)
    faults = sum(one.faults for one in done)
    text = f"batch {number}: {changes:,} changes of {len(done)} tables in {seconds:.1f} s"
    text += f", {changes / seconds:,.0f}/s" if seconds else ""
    text += f", {faults:,} dead letters" if faults else ""
    times = [one.source_ts for one in done if one.source_ts]
    return text + (f", source at {max(times):%Y-%m-%d %H:%M:%S}" if times else "")


def batch_json(
    number: int,
    done: Sequence[TableResult],
    parked: Mapping[str, str],
    lag: Mapping[str, float],
    seconds: float,
) -> str:
    """Return a batch as JSON: totals, and the result of each table."""
    results = [
        {
            "table": one.table,
            "changes": one.changes,
            "dead_letters": one.faults,
            "seconds": round(one.seconds, 3),
            "source_lag_seconds": round(lag[one.table], 3) if one.table in lag else None,
            "parked": one.table in parked,
            "version": one.version,
        }
        for one in done
    ]
    found = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "batch": number,
        "seconds": round(seconds, 3),
        "changes": sum(one.changes for one in done),
        "dead_letters": sum(one.faults for one in done),
        "tables": results,
    }
    return json.dumps(found)


def status_table(
    done: Mapping[str, TableResult],
    parked: Mapping[str, str],
    lag: Mapping[str, float],
    notes: Mapping[str, str] | None = None,
) -> str:
    """Return a line per table: its last batch, position and time, and its state.

    ``notes`` are states of tables other than ok and parked.
    """
    lines = [f"{'table':40} {'batch':>8} {'position':>24} {'last change':20} {'lag':>10}  state"]
    for name in sorted({*done, *parked}):
        one = done.get(name, TableResult(name))
        at = one.source_ts
        shown = f"{at:%Y-%m-%d %H:%M:%S}" if at else "-"
        batch = "-" if one.batch is None else f"{one.batch:,}"
        late = f"{lag[name]:,.0f} s" if name in lag else "-"
        state = (notes or {}).get(name, "ok")
        state = f"parked: {parked[name]}" if name in parked else state
        columns = f"{name:40} {batch:>8} {one.highest or '-'!s:>24} {shown:20} {late:>10}"
        lines.append(f"{columns}  {state}")
    return "\n".join(lines) + "\n"
