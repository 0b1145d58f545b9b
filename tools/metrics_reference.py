"""`python -m tools.metrics_reference`: write docs/reference/metrics.md from the definitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from connector.metric_definitions import (
    HISTORY,
    SNAPSHOT,
    STREAMING,
    MetricDefinition,
    TableMetricDefinition,
)
from connector.metric_texts import (
    HISTORY_TEXTS,
    SNAPSHOT_TEXTS,
    STREAMING_TEXTS,
    TextMetricDefinition,
)
from connector.millrace_metrics import OWN, OWN_BY_TABLE

_Metric = MetricDefinition | TableMetricDefinition | TextMetricDefinition
_SUFFIXES: Final = {"counter": "_total", "info": "_info"}
FILE: Final = Path(__file__).parents[1] / "docs" / "reference" / "metrics.md"

_HEAD: Final = """\
# Metrics of the daemon

`make reference` generates this page from `connector/metric_definitions.py` and
`connector/millrace_metrics.py`; do not edit it.
[Monitor](../metrics.md) explains labels and alerts, and lists metrics of states and the process.
"""


def page() -> str:
    """Return the whole page."""
    sections: tuple[tuple[str, str, Sequence[_Metric]], ...] = (
        ('Snapshot (`context="snapshot"`)', "debezium_metrics_", (*SNAPSHOT, *SNAPSHOT_TEXTS)),
        ('Streaming (`context="streaming"`)', "debezium_metrics_", (*STREAMING, *STREAMING_TEXTS)),
        (
            'Schema history (`context="schema-history"`)',
            "debezium_metrics_",
            (*HISTORY, *HISTORY_TEXTS),
        ),
        ("Millrace", "millrace_", (*OWN, *OWN_BY_TABLE)),
    )
    return "\n".join([_HEAD, *(line for section in sections for line in _section(*section))])


def _section(title: str, prefix: str, metrics: Sequence[_Metric]) -> Iterator[str]:
    yield f"## {title}\n\n| metric | type | meaning |\n|---|---|---|"
    for metric in metrics:
        kind = "info" if isinstance(metric, TextMetricDefinition) else metric.kind
        name = f"{prefix}{metric.name}{_SUFFIXES.get(kind, '')}"
        shown = kind if prefix == "millrace_" or kind == "info" else "untyped"
        yield f"| `{name}` | {shown} | {metric.help} |"
    yield ""


if __name__ == "__main__":
    FILE.write_text(page(), "utf-8")
