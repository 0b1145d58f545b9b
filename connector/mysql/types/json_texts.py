r"""Binary JSON to text, as Debezium writes it.

No spaces, keys in stored order, ``\u00XX`` in upper case, doubles in Java's notation or, where
that has an exponent, expanded in full; opaque values in base64.

The documents of a column are mostly alike. For a container whose names and types of values were
met often a function is written that makes its text in one go. For ``{"ok":true,"of":[]}``::

    def write(d, s, n):
        return f"{l0}{inline(4, n[7])}{l1}{inner(2, d, s + n[9])}}}"

``n`` are the numbers at the head of the container, ``l0`` is ``{"ok":``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Any

from connector.codegen import compile_function
from connector.errors import ConversionError
from connector.mysql.types.binary_json import (
    INT16,
    LITERAL,
    MALFORMED,
    STRING,
    UINT16,
    UINT32,
    inline,
    member_names,
    quoted,
    scalar,
    table,
)
from connector.mysql.types.result_cache import ResultCache

Numbers = tuple[int, ...]
Write = Callable[[bytes, int, Numbers], str]

OFTEN = 64  # sightings after which a shape is worth the 150 µs that its function costs
_MOST_MEMBERS = 32
_MOST_WRITERS = 1_000
_MOST_SEEN = 10_000
_SHORT = 64  # bytes of a container within another one that is remembered as a whole

_writers: dict[Any, Write] = {}
_seen: dict[Any, int] = {}


def json_text(data: bytes) -> str:
    """Return a binary document as text.

    :raises ConversionError: when the bytes are no binary JSON.
    """
    try:
        return _text(data[0], data, 1)
    except MALFORMED as error:
        raise ConversionError(f"malformed binary JSON of {len(data)} bytes") from error


def _text(kind: int, data: bytes, start: int) -> str:
    if kind >= LITERAL:
        return scalar(kind, data, start)
    numbers, first = table(kind, data, start)
    if kind & 1 or not 0 < numbers[0] <= _MOST_MEMBERS:
        return _rare(kind, data, start, numbers, first)
    shape: Any = numbers[first::2]
    if not kind:
        names = data[start + numbers[2] : start + numbers[first - 2] + numbers[first - 1]]
        shape = (shape, numbers[3:first:2], names)
    write = _writers.get(shape)
    if write is not None:
        return write(data, start, numbers)
    sightings = _seen[shape] = _seen.get(shape, 0) + 1
    if sightings == OFTEN:
        _bounded(_writers, _MOST_WRITERS)[shape] = _compile(kind, data, start, numbers, first)
    _bounded(_seen, _MOST_SEEN)
    return _rare(kind, data, start, numbers, first)


def _inner(kind: int, data: bytes, start: int) -> str:
    """Write a container within another one. Short ones, such as lists of tags, come again."""
    size = data[start + 2] | data[start + 3] << 8
    if size > _SHORT or kind & 1:
        return _text(kind, data, start)
    return _inner_texts[kind][data[start : start + size]]


_inner_texts: dict[int, ResultCache[bytes, str]] = {
    kind: ResultCache(partial(_text, kind, start=0)) for kind in (0, 2)
}


def _bounded(known: dict[Any, Any], most: int) -> dict[Any, Any]:
    if len(known) >= most:
        known.clear()
    return known


def _rare(kind: int, data: bytes, start: int, numbers: Numbers, first: int) -> str:
    """Write a container that is large or was not met often."""
    widest = UINT32 if kind & 1 else UINT16
    labels = _labels(data, start, numbers, first) if kind < 2 else repeat("")
    members = [
        label
        + (
            inline(entry, value)
            if LITERAL <= entry <= widest
            else _text(entry, data, start + value)
        )
        for label, entry, value in zip(
            labels, numbers[first::2], numbers[first + 1 :: 2], strict=False
        )
    ]
    return f"{{{','.join(members)}}}" if kind < 2 else f"[{','.join(members)}]"


def _labels(data: bytes, start: int, numbers: Numbers, first: int) -> list[str]:
    return [f"{quoted(name)}:" for name in member_names(data, start, numbers, first)]


def _compile(kind: int, data: bytes, start: int, numbers: Numbers, first: int) -> Write:
    """Write the function for all containers like this one."""
    types = numbers[first::2]
    labels: Sequence[str] = _labels(data, start, numbers, first) if kind < 2 else [""] * len(types)
    names: dict[str, Any] = {"scalar": scalar, "inline": inline, "inner": _inner}
    lines, parts = [], []
    for number, (entry, label) in enumerate(zip(types, labels, strict=True)):
        names[f"l{number}"] = ("," if number else "[" if kind else "{") + label
        value = f"n[{first + 2 * number + 1}]"
        if entry == STRING:
            lines += [line.format(f"t{number}", value) for line in _SHORT_STRING]
            source = f"t{number}"
        elif entry == INT16:
            source = f"{value} if {value} < 32768 else inline({entry}, {value})"
        elif LITERAL <= entry <= UINT16:
            source = f"inline({entry}, {value})"
        else:
            source = f"{'scalar' if entry > LITERAL else 'inner'}({entry}, d, s + {value})"
        parts.append(f"{{l{number}}}{{{source}}}")
    end = "]" if kind else "}}"
    body = [*lines, f'return f"{"".join(parts)}{end}"']
    return compile_function(["def write(d, s, n):", *(f"    {line}" for line in body)], names)


# most strings are short and need no escapes: what they cost counts
_SHORT_STRING = (
    "p = s + {1} + 1",
    "{0} = d[p:p + d[p - 1]].decode('utf-8', 'replace')",
    "if d[p - 1] < 128 and {0}.isprintable() and '\"' not in {0} and '\\\\' not in {0}:",
    "    {0} = f'\"{{{0}}}\"'",
    "else:",
    f"    {{0}} = scalar({STRING}, d, p - 1)",
)
