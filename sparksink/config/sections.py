"""Base class and value types of the sections of a configuration."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict

UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def _seconds(value: object) -> object:
    if isinstance(value, float):
        return value  # parsed before, now part of an override
    found = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError("a duration is a number and a unit: 500ms, 30s, 5m, 2h or 7d")
    return float(found[1]) * UNITS[found[2]]


def _pattern(value: object) -> object:
    try:
        re.compile(str(value))
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return value


Duration = Annotated[float, BeforeValidator(_seconds)]
Pattern = Annotated[str, BeforeValidator(_pattern)]


class Section(BaseModel):
    """A part of the file: ``max_offsets_per_trigger`` is written ``max.offsets.per.trigger``."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,  # they are the text of docs/reference/sink.md
        validate_default=True,
        alias_generator=lambda name: name.replace("_", "."),
    )
