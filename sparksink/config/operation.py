"""What happens when things go wrong, upkeep, and what a sink tells of itself: four sections."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from sparksink.config.sections import Duration, Section


class Errors(Section):
    """How much may go wrong before the job ends."""

    malformed: Literal["dlq", "fail"] = "dlq"
    max_per_batch: Annotated[int, Field(ge=0)] = 1000
    max_ratio: Annotated[float, Field(ge=0, le=1)] = 1.0
    table_error: Literal["park", "fail"] = "park"
    retries: Annotated[int, Field(ge=0)] = 5
    backoff: Duration = 1.0


class DeadLetterQueue(Section):
    """Where messages go that cannot be used: a table, and perhaps a Kafka topic besides."""

    table: str = Field(default="dead_letter", pattern=r"^\w+$")
    topic: str | None = Field(default=None, pattern=r"^[\w.\-]+$")


def _window(text: str) -> str:
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d", text):
        raise ValueError("a window is two times of the day in UTC, as 01:00-05:00")
    begin, _, end = text.partition("-")
    if begin == end:
        raise ValueError("a window begins and ends at different times")
    return text


class Maintenance(Section):
    """When ``run`` compacts tables, and what compaction leaves behind."""

    vacuum_hours: Annotated[int, Field(ge=0)] = 168
    compact_every: Annotated[int, Field(ge=0)] = 0
    optimize_window: Annotated[str, AfterValidator(_window)] | None = None
    expire_snapshots: Duration | None = None

    @model_validator(mode="after")
    def _of_use(self) -> Self:
        if self.optimize_window and not self.compact_every:
            raise ValueError("optimize.window needs compact.every: it is for compaction by run")
        return self

    def is_open(self, now: datetime) -> bool:
        """Return whether ``run`` may compact at this moment; a window may reach over midnight."""
        if self.optimize_window is None:
            return True
        begin, end = map(time.fromisoformat, self.optimize_window.split("-"))
        here = now.astimezone(UTC).time()
        return begin <= here < end if begin < end else here >= begin or here < end


class Metrics(Section):
    """Where metrics are told: ``http`` is ``host:port``, ``textfile`` a path of the driver's.

    ``openlineage`` is the URL of a server, or of what takes its events.
    """

    http: str | None = Field(default=None, pattern=r"^[\w.\-]+:\d+$")
    textfile: str | None = Field(default=None, pattern=r"\.prom$")
    log_json: bool = False
    openlineage: str | None = Field(default=None, pattern=r"^https?://[^\s/]+", repr=False)
