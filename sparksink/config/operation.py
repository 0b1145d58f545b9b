"""Error handling, dead letters, maintenance and metrics: four sections of a configuration."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from sparksink.config.sections import Duration, Section


class Errors(Section):
    """Error handling, and limits before the job ends."""

    malformed: Literal["dlq", "fail"] = "dlq"
    """`fail`: an unusable message ends the job."""
    max_per_batch: Annotated[int, Field(ge=0)] = 1000
    """Dead letters of one table in one batch; with more the table is parked."""
    max_ratio: Annotated[float, Field(ge=0, le=1)] = 1.0
    """The same as a share of the table's messages in the batch, such as 0.01; both limits apply."""
    table_error: Literal["park", "fail"] = "park"
    """`fail`: a table that cannot be written ends the job."""
    retries: Annotated[int, Field(ge=0)] = 5
    """Retries of a table before it is parked."""
    backoff: Duration = 1.0
    """The pause before the first retry; it doubles up to 60 s."""


class DeadLetterQueue(Section):
    """Where unusable messages go: a table, and optionally a Kafka topic as a copy."""

    table: str = Field(default="dead_letter", pattern=r"^\w+$")
    """Name of the table of dead letters, one of the sink's own."""
    topic: str | None = Field(default=None, pattern=r"^[\w.\-]+$")
    """A topic that gets [a copy of each dead
    letter](../sink/dead-letters.md#copy-dead-letters-to-kafka), at least once.
    """


def _window(text: str) -> str:
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d", text):
        raise ValueError("a window is two times of the day in UTC: 01:00-05:00")
    begin, _, end = text.partition("-")
    if begin == end:
        raise ValueError("the start and the end of a window must differ")
    return text


class Maintenance(Section):
    """When ``run`` compacts tables, and what compaction keeps."""

    vacuum_hours: Annotated[int, Field(ge=0)] = 168
    """How long unreferenced files are kept."""
    compact_every: Annotated[int, Field(ge=0)] = 0
    """`run` compacts after this many batches with changes; 0 is never."""
    optimize_window: Annotated[str, AfterValidator(_window)] | None = None
    """Such as `01:00-05:00`, in UTC: `run` compacts only then."""
    expire_snapshots: Duration | None = None
    """With Iceberg: how long snapshots are kept, such as `7d`; by default as long as
    `maintenance.vacuum.hours` says.
    """

    @model_validator(mode="after")
    def _check_window(self) -> Self:
        if self.optimize_window and not self.compact_every:
            raise ValueError("optimize.window needs compact.every, as it limits compaction by run")
        return self

    def is_open(self, now: datetime) -> bool:
        """Return whether ``run`` may compact now; a window may extend past midnight."""
        if self.optimize_window is None:
            return True
        begin, end = map(time.fromisoformat, self.optimize_window.split("-"))
        time_of_day = now.astimezone(UTC).time()
        return (
            begin <= time_of_day < end if begin < end else time_of_day >= begin or time_of_day < end
        )


class Metrics(Section):
    """Where metrics are published: ``http`` is ``host:port``, ``textfile`` a path on the driver.

    ``openlineage`` is the URL of an OpenLineage server or endpoint.
    """

    http: str | None = Field(default=None, pattern=r"^[\w.\-]+:\d+$")
    """`host:port` of `/metrics`, `/healthz` and a status page."""
    textfile: str | None = Field(default=None, pattern=r"\.prom$")
    """A file `….prom`, written in one step after each batch, for node_exporter's textfile
    collector.
    """
    log_json: bool = False
    """Each batch is a line of JSON on standard output instead of a line in the log."""
    openlineage: str | None = Field(default=None, pattern=r"^https?://[^\s/]+", repr=False)
    """URL of a server of [OpenLineage](../sink/operate.md#openlineage)."""
