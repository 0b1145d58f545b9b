"""The results as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.measure import RATE, Measurements
from bench.sides import MILLRACE, TUNED


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured of one part on one side."""

    side: str
    part: str
    measurements: Measurements


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of the parts: how it is called, written, and whether more of it is better.

    Without ``compared`` it is not the sides' doing, so that none has a gain.
    """

    key: str
    title: str
    form: str
    more_is_better: bool = False
    compared: bool = True


_METRICS: Final = (
    Metric("rows_per_second", "{part}: rows/s", ",.0f", more_is_better=True),
    Metric("limit_percent", "{part}: of the rate of a bare producer, %", ".0f"),
    Metric("p50_ms", f"latency at {RATE} rows/s, p50: ms", ".1f"),
    Metric("p99_ms", f"latency at {RATE} rows/s, p99: ms", ".1f"),
    Metric("max_ms", f"latency at {RATE} rows/s, longest: ms", ".1f"),
    Metric("insert_max_ms", f"latency at {RATE} rows/s, longest INSERT: ms", ".1f", compared=False),
    Metric("chunks_p50_ms", "{part}, stream meanwhile, p50: ms", ".1f"),
    Metric("chunks_p99_ms", "{part}, stream meanwhile, p99: ms", ".1f"),
    Metric("cpu_us_per_row", "{part}: CPU, µs/row", ".1f"),
    Metric("limit_cpu_us_per_row", "{part}: CPU of a bare producer, µs/row", ".1f"),
)
_PEAK: Final = Metric("peak_rss_mb", "peak RSS of all: MB", ",.0f")


def table(results: Sequence[Result]) -> str:
    """Return the medians: a line for each metric of each part, a column for each side."""
    sides = list(dict.fromkeys(result.side for result in results))
    head = ["", *sides]
    if {MILLRACE.name, TUNED.name} <= set(sides):
        head.append("gain over tuned")
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body(results), peaks(results)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def body(results: Sequence[Result]) -> Iterator[list[str]]:
    """Yield the cells of the lines about parts."""
    parts = list(dict.fromkeys(result.part for result in results))
    for metric in _METRICS:
        for part in parts:
            runs = runs_of(results, metric.key, part)
            if runs:
                values = {side: median(numbers) for side, numbers in runs.items()}
                yield [metric.title.format(part=part), *cells(metric, values)]


def peaks(results: Sequence[Result]) -> list[str]:
    """Return the cells of the line about memory: the most that was seen in any part."""
    most = {side: max(numbers) for side, numbers in runs_of(results, _PEAK.key).items()}
    return [_PEAK.title, *cells(_PEAK, most)]


def runs_of(results: Sequence[Result], key: str, part: str = "") -> dict[str, list[float]]:
    """Return side → what all runs found of a metric, of one part or of all."""
    runs: dict[str, list[float]] = {}
    for result in results:
        if key in result.measurements and part in ("", result.part):
            runs.setdefault(result.side, []).append(result.measurements[key])
    return runs


def cells(metric: Metric, values: Mapping[str, float]) -> Iterator[str]:
    """Yield a number for each side, and how many times better Millrace is than tuned Debezium."""
    for number in values.values():
        yield format(number, metric.form)
    if metric.compared and {MILLRACE.name, TUNED.name} <= values.keys():
        ours, theirs = values[MILLRACE.name], values[TUNED.name]
        yield f"{ours / theirs if metric.more_is_better else theirs / ours:.1f}"
