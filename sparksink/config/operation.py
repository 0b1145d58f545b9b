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
    max_per_batch: Annotated[int, Field(ge=0)] = 1000
    max_ratio: Annotated[float, Field(ge=0, le=1)] = 1.0
    table_error: Literal["park", "fail"] = "park"
    retries: Annotated[int, Field(ge=0)] = 5
    backoff: Duration = 1.0


class DeadLetterQueue(Section):
    """Where unusable messages go: a table, and optionally a Kafka topic as a copy."""

    table: str = Field(default="dead_letter", pattern=r"^\w+$")
    topic: str | None = Field(default=None, pattern=r"^[\w.\-]+$")


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
    compact_every: Annotated[int, Field(ge=0)] = 0
    optimize_window: Annotated[str, AfterValidator(_window)] | None = None
    expire_snapshots: Duration | None = None

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
    textfile: str | None = Field(default=None, pattern=r"\.prom$")
    log_json: bool = False
    openlineage: str | None = Field(default=None, pattern=r"^https?://[^\s/]+", repr=False)
