"""Makes constant what differs between any two runs: names of the run and clock readings."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.fixtures.topics import Message

_CLOCK = re.compile(r'("(?:ts_ms|ts_us|ts_ns|ts_sec)"\s*:\s*)\d+')
_NOTIFICATION = re.compile(r'"io\.debezium\.connector\.common\.Notification|"aggregate_type"')
_ANY_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
# The order of some of its members depends on the run of the JVM.
_DATA = re.compile(r'(?<="additional_data":)\{[^{}]*\}')
_TIMESTAMP = re.compile(r'("timestamp":)\d+')
# The mark that ends a window: each side writes its own.
_POSITION = re.compile(r'("(?:pos|thread|gtid)":)(?:\d+|"[^"]*")')
_RUN_ID = re.compile(
    rb'(?:\{"schema":.*"payload":)?"?[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"?\}?'
)


def normal(message: Message, prefix: str) -> tuple[Any, ...]:
    """Return partition, key, value, the times of the database, and headers."""
    key, value = _text(message.key, prefix), _text(message.value, prefix)
    if value is not None and _NOTIFICATION.search(value):
        key, value = _ANY_UUID.sub("ID", key or ""), _ANY_UUID.sub("ID", value)
        value = _DATA.sub(_in_order, _TIMESTAMP.sub(r"\1T", value))
    if value is not None and '"snapshot":"incremental"' in value:
        value = _POSITION.sub(r"\1P", value)
    return (
        message.partition,
        key,
        value,
        _times(message),
        tuple((name, _header(value, prefix)) for name, value in message.headers),
    )


def _text(raw: bytes | None, prefix: str) -> str | None:
    if raw is None:
        return None
    return _CLOCK.sub(r"\1T", raw.decode("utf-8", "surrogateescape").replace(prefix, "PFX"))


def _in_order(match: re.Match[str]) -> str:
    return json.dumps(json.loads(match[0]), sort_keys=True)


def _header(value: bytes | None, prefix: str) -> str | None:
    if value is not None and _RUN_ID.fullmatch(value):
        return "RUN"
    return _text(value, prefix)


def _times(message: Message) -> Any:
    """Return the times of a streamed event: they are the database's, so they must be equal."""
    try:
        value = message.payload()
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    source = value.get("source")
    if isinstance(source, dict) and source.get("snapshot") in ("false", None):
        return [source.get(name) for name in ("ts_ms", "ts_us", "ts_ns")]
    if value.get("status") in ("BEGIN", "END"):
        return value.get("ts_ms")
    return None


def difference(name: str, ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> str:
    """Describe where two messages differ."""
    parts = ("partition", "key", "value", "times", "headers")
    for part, mine, other in zip(parts, ours, theirs, strict=True):
        if mine != other:
            return f"{name} {part}: {_where(mine, other)}"
    return ""


def _where(mine: Any, other: Any) -> str:
    if not isinstance(mine, str) or not isinstance(other, str):
        return f"ours {str(mine)[:300]} | Debezium's {str(other)[:300]}"
    try:
        path = _path(json.loads(mine), json.loads(other))
    except ValueError:
        path = ""
    start = next(
        (at for at, pair in enumerate(zip(mine, other, strict=False)) if pair[0] != pair[1]),
        min(len(mine), len(other)),
    )
    begin = max(0, start - 60)
    return (
        f"{path}\n  ours       …{mine[begin : start + 100]}"
        f"\n  Debezium's …{other[begin : start + 100]}"
    )


def _path(mine: Any, other: Any, path: str = "") -> str:
    if isinstance(mine, dict) and isinstance(other, dict):
        if list(mine) != list(other):
            return f"{path} members {list(mine)} | {list(other)}"
        for key in mine:
            if mine[key] != other[key]:
                return _path(mine[key], other[key], f"{path}.{key}")
    if isinstance(mine, list) and isinstance(other, list):
        for index, pair in enumerate(zip(mine, other, strict=False)):
            if pair[0] != pair[1]:
                return _path(*pair, f"{path}[{index}]")
    return f"{path}: {str(mine)[:200]} | {str(other)[:200]}"
