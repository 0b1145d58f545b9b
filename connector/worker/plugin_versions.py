"""Versions of plugins: which of them a requirement allows (KIP-891).

A requirement is ``latest``, one version, or ranges as in Maven: ``[3.6,4)``, ``(,1],[2,)``.
Versions have Maven's order: ``1-rc1 < 1 = 1.0 = 1.Final < 1-1 < 1.1``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Final

from connector.errors import ConfigError

# A part of a version: its kind, then its number, or the rank of a qualifier and its text.
_Part = tuple[int, int, str]
_QUALIFIER, _HYPHEN_NUMBER, _DOT_NUMBER = range(3)

_QUALIFIERS: Final = ("alpha", "beta", "milestone", "rc", "snapshot", "", "sp")
_ALIASES: Final = {"cr": "rc", "ga": "", "final": "", "release": ""}
_SHORT: Final = {"a": "alpha", "b": "beta", "m": "milestone"}  # in front of a number
_PART: Final = re.compile(r"([.-]?)(?:(\d+)|([^\d.-]+))")


class VersionError(ConfigError):
    """A requirement is not written as a version or a range."""


def version_fault(class_name: str, available: str | None, required: str) -> str | None:
    """Return why a plugin's only version does not meet a requirement, None if it does.

    A plugin without a version meets every requirement.

    :raises VersionError: the requirement cannot be read.
    """
    if required == "latest":
        return None
    ranges = _parse(required.strip())
    if available is None or any(item.contains(_parts(available)) for item in ranges):
        return None
    shown = ",".join(str(item) for item in ranges)
    return (
        f"Plugin {class_name} not found that matches the version range {shown}, "
        f"available versions: [{available}]"
    )


def check_requirement(required: str) -> None:
    """Raise VersionError for a requirement that cannot be read."""
    version_fault("", None, required)


@dataclass(frozen=True, slots=True)
class _Range:
    """Versions between two bounds; None is no bound."""

    lower: str | None
    upper: str | None
    with_lower: bool
    with_upper: bool

    def contains(self, version: list[_Part]) -> bool:
        above = 1 if self.lower is None else _compare(version, _parts(self.lower))
        below = 1 if self.upper is None else _compare(_parts(self.upper), version)
        return above > -self.with_lower and below > -self.with_upper

    def __str__(self) -> str:
        opening, closing = "[" if self.with_lower else "(", "]" if self.with_upper else ")"
        return f"{opening}{self.lower or ''},{self.upper or ''}{closing}"


def _parse(required: str) -> list[_Range]:
    if not required.startswith(("[", "(")):
        required = f"[{required}]"
    rest = required
    ranges: list[_Range] = []
    while rest.startswith(("[", "(")):
        end = re.search(r"[\])]", rest)
        if end is None:
            raise VersionError(f"Unbounded range: {required}")
        ranges.append(_parse_range(rest[: end.end()]))
        rest = rest[end.end() :].strip().removeprefix(",").strip()
    if rest:
        raise VersionError(
            f"Only fully-qualified sets allowed in multiple set scenario: {required}"
        )
    _check_order(ranges, required)
    return ranges


def _parse_range(text: str) -> _Range:
    closed = (text[0] == "[", text[-1] == "]")
    lower, comma, upper = (part.strip() for part in text[1:-1].partition(","))
    if not comma:
        if not all(closed):
            raise VersionError(f"Single version must be surrounded by []: {text}")
        return _Range(lower, lower, *closed)
    if lower and upper and _compare(_parts(lower), _parts(upper)) > (0 if all(closed) else -1):
        raise VersionError(f"Range defies version ordering: {text}")
    return _Range(lower or None, upper or None, *closed)


def _check_order(ranges: list[_Range], required: str) -> None:
    for first, second in pairwise(ranges):
        if first.upper and (
            not second.lower or _compare(_parts(second.lower), _parts(first.upper)) < 0
        ):
            raise VersionError(f"Ranges overlap: {required}")


def _parts(version: str) -> list[_Part]:
    """Split a version at dots, hyphens, and between digits and letters; drop zeros at its end."""
    found: list[_Part] = []
    matches = list(_PART.finditer(version.lower()))
    for match, following in zip_longest(matches, matches[1:]):
        dotted = match[1] == "." or match.start() == 0
        if not dotted:
            _trim(found)
        before_number = following is not None and not following[1] and bool(following[2])
        found.append(_part(match, dotted=dotted, before_number=before_number))
    return _trim(found)


def _part(match: re.Match[str], *, dotted: bool, before_number: bool) -> _Part:
    if match[2]:
        return _DOT_NUMBER if dotted else _HYPHEN_NUMBER, int(match[2]), ""
    word = _SHORT.get(match[3], match[3]) if before_number else match[3]
    word = _ALIASES.get(word, word)
    if word in _QUALIFIERS:
        return _QUALIFIER, _QUALIFIERS.index(word), ""
    return _QUALIFIER, len(_QUALIFIERS), word


def _trim(parts: list[_Part]) -> list[_Part]:
    while parts and parts[-1] == _null(parts[-1]):
        parts.pop()
    return parts


def _null(part: _Part) -> _Part:
    """Return the part that counts as absent, of the kind of another."""
    return part[0], _QUALIFIERS.index("") if part[0] == _QUALIFIER else 0, ""


def _compare(one: list[_Part], other: list[_Part]) -> int:
    """Return a number below, equal to or above 0."""
    for left, right in zip_longest(one, other):
        first, second = left or _null(right), right or _null(left)
        if first != second:
            return 1 if first > second else -1
    return 0
