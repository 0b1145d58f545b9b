"""Sources of the values of a row, where neighbors in the table become slices of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_SLICE: Final = re.compile(r"\*(before|after)\[(\d+):(\d+)\]")


def merge_slices(sources: Sequence[str]) -> list[str]:
    """Return the members of a row, where neighbors in the table become slices of the row."""
    sliced: list[str] = []
    for source in sources:
        name, _, slot = source.removesuffix("]").partition("[")
        last = _SLICE.fullmatch(sliced[-1]) if sliced else None
        if name not in ("before", "after") or not slot.isdigit():
            sliced.append(source)
        elif last and last[1] == name and last[3] == slot:
            sliced[-1] = f"*{name}[{last[2]}:{int(slot) + 1}]"
        else:
            sliced.append(f"*{name}[{slot}:{int(slot) + 1}]")
    return [_SLICE.sub(_single, source) for source in sliced]


def _single(match: re.Match[str]) -> str:
    """Return a slice of one member as the member."""
    return match[0] if int(match[3]) - int(match[2]) > 1 else f"{match[1]}[{match[2]}]"
