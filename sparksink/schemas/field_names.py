"""Adjusts the names of columns to Avro as the connector does: ``field.name.adjustment.mode``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final

_NOT_FIRST: Final = re.compile(r"[^A-Za-z_]")
_NOT_LATER: Final = re.compile(r"[^A-Za-z0-9_]")
_ESCAPED: Final = re.compile(r"^[^A-Za-z]|[^A-Za-z0-9]")


def avro_name(name: str) -> str:
    """Return a name in which underscores replace other characters than letters and digits."""
    first = name[:1]
    start = f"_{first}" if first.isdecimal() else _NOT_FIRST.sub("_", first)
    return start + _NOT_LATER.sub("_", name[1:])


def escaped_name(name: str) -> str:
    """Return a name in which escapes such as ``_u0020`` replace other characters."""
    return _ESCAPED.sub(lambda found: _escape(ord(found[0])), name)


def _escape(number: int) -> str:
    digits = f"{number:x}"
    return f"_u00{digits}" if len(digits) <= 2 else f"_u{digits}"


ADJUSTMENTS: Final[Mapping[str, Callable[[str], str]]] = {
    "none": str,
    "avro": avro_name,
    "avro_unicode": escaped_name,
}
"""Mode → the name of a column in messages."""


def find_adjustment(given: Collection[str], defined: Collection[str]) -> str | None:
    """Return the mode in which columns of messages were adjusted, if they were.

    :param given: the columns of messages; ``defined`` are those of the table.
    """
    unknown, lacking = {*given} - {*defined}, {*defined} - {*given}
    if not unknown:
        return None
    modes = ADJUSTMENTS.items()
    return next((mode for mode, adjust in modes if unknown <= {*map(adjust, lacking)}), None)
