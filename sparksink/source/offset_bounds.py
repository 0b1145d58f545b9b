"""Maps start and end of what is read to options of Spark's Kafka source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sparksink.config.offsets import TIMESTAMP_PREFIX, millis


def bound_options(which: Literal["starting", "ending"], bound: str) -> Mapping[str, str]:
    """Return the options for a start or an end in the form of the configuration.

    A partition without messages since a start timestamp is read from its end on.
    """
    if not bound.startswith(TIMESTAMP_PREFIX):
        return {f"{which}Offsets": bound}
    found = {f"{which}Timestamp": str(millis(bound.removeprefix(TIMESTAMP_PREFIX)))}
    if which == "starting":
        found["startingOffsetsByTimestampStrategy"] = "latest"
    return found
