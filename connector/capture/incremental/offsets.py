"""How offsets keep the state of incremental snapshots: in Debezium's form, and what it lacks.

Debezium knows how far one table is read, the first one. Keys of our own have that of the others, of
tables that failed and of those that belong to the initial snapshot, and the order of all keys.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, Final

from connector.capture.incremental.chunk_source import TableRequest
from connector.capture.incremental.state import SnapshotState
from connector.capture.incremental.table_state import TableState
from connector.capture.tables import TableId, parse_table
from connector.data.java_object_reader import deserialize
from connector.data.java_object_writer import serialize

log = logging.getLogger(__name__)

_PREFIX: Final = "incremental_snapshot"
_POSITION, _MAXIMUM = f"{_PREFIX}_primary_key", f"{_PREFIX}_maximum_key"
_TABLES, _CORRELATION = f"{_PREFIX}_collections", f"{_PREFIX}_correlation_id"
_ID, _CONDITION, _SURROGATE = (
    f"{_TABLES}_{part}" for part in ("id", "additional_condition", "surrogate_key")
)
_INITIAL: Final = "millrace_initial"
SIGNAL_OFFSET: Final = "millrace_signal_offset"
_FAILED: Final = "millrace_failed_tables"
_STARTED: Final = "millrace_started_tables"


def to_offset(state: SnapshotState) -> dict[str, Any]:
    """Return the keys that an offset needs; none if no snapshot runs and no table failed.

    Every progress needs them while a snapshot runs; they are built once for each chunk.
    """
    if state.stored is None:
        state.stored = {**_running(state), **_failed(state)}
    return dict(state.stored)


def _running(state: SnapshotState) -> dict[str, Any]:
    if not state.tables:
        return {}
    first = state.tables[0]
    started = {str(one.table): _progress(one) for one in state.tables if one.has_progress}
    if state.listed is None:
        state.listed = f"[{','.join([one.text or _text(one) for one in state.tables])}]"
    return {
        _POSITION: serialize(first.position),
        _MAXIMUM: serialize(first.maximum),
        _TABLES: state.listed,
        _CORRELATION: state.identity,
        **({_STARTED: _json(started)} if started else {}),
    }


def _failed(state: SnapshotState) -> dict[str, Any]:
    failed = {
        name: {"reason": one.reason, **_entry(one), **(_progress(one) if one.has_progress else {})}
        for name, one in state.failed.items()
    }
    return {_FAILED: _json(failed)} if failed else {}


def _text(one: TableState) -> str:
    one.text = _json(_entry(one))
    return one.text


def _entry(one: TableState) -> dict[str, Any]:
    """Return a table as Debezium has it; those of an initial snapshot, as short as possible."""
    request = one.request
    entry = {
        _ID: _table_text(request.table),
        _CONDITION: request.condition,
        _SURROGATE: request.surrogate_key,
    }
    if not one.is_initial:
        return entry
    return {key: text for key, text in entry.items() if text is not None} | {_INITIAL: "true"}


def _progress(one: TableState) -> dict[str, Any]:
    return {
        "position": serialize(one.position),
        "maximum": serialize(one.maximum),
        "key": list(one.key_columns),
        "rows": one.rows_emitted,
        **({"known": True} if one.is_known else {}),
        **({"renamed": True} if one.is_renamed else {}),
        **({"stop": one.stop} if one.stop else {}),
    }


def state_of(offset: Mapping[str, Any]) -> SnapshotState:
    """Read the state from an offset; unreadable keys start their table again."""
    state = SnapshotState(identity=offset.get(_CORRELATION))
    try:
        failed = json.loads(offset.get(_FAILED) or "{}")
        state.failed = {name: _failed_table(name, one) for name, one in failed.items()}
        started = json.loads(offset.get(_STARTED) or "{}")
        tables = json.loads(offset.get(_TABLES) or "[]")
        found = [_table(one) for one in tables]
    except (ValueError, KeyError, TypeError, AttributeError):
        log.warning("The stored state of an incremental snapshot is damaged: it does not continue")
        return SnapshotState()
    state.tables = [one for one in found if one is not None]
    for one in state.tables:
        _set_progress(one, started.pop(str(one.table), {}))
    if state.tables and found[0] is not None:
        first, keys = state.tables[0], {"position": offset.get(_POSITION)}
        known = {"key": first.key_columns, "rows": first.rows}
        flags = {"known": first.is_known, "renamed": first.is_renamed, "stop": first.stop}
        _set_progress(first, {**keys, "maximum": offset.get(_MAXIMUM), **known, **flags})
    state.is_stopping = any(one.stop for one in state.tables)
    return state


def has_initial_tables(offset: Mapping[str, Any]) -> bool:
    """Whether an offset is that of an initial snapshot that is read in chunks and not complete."""
    return state_of(offset).is_initial


def _table(one: Mapping[str, Any]) -> TableState | None:
    table = parse_table(one[_ID])
    if table is None:
        return None
    condition, surrogate = one.get(_CONDITION), one.get(_SURROGATE)
    request = TableRequest(table, condition or None, surrogate or None)
    return TableState(request, is_initial=one.get(_INITIAL) == "true")


def _failed_table(name: str, one: Mapping[str, Any] | str) -> TableState:
    """Read a failed table, of which only the reason may be known."""
    if isinstance(one, str):
        one = {"reason": one, _ID: name}
    found = _table(one) or TableState(TableRequest(TableId("", name)))
    _set_progress(found, one)
    found.reason = str(one["reason"])
    return found


def _set_progress(one: TableState, stored: Mapping[str, Any]) -> None:
    one.stop = int(stored.get("stop") or 0)
    one.is_known, one.is_renamed = bool(stored.get("known")), bool(stored.get("renamed"))
    try:
        position = deserialize(stored.get("position") or serialize(None))
        maximum = deserialize(stored.get("maximum") or serialize(None))
    except ValueError as error:
        log.warning("An incremental snapshot begins its table again: %s", error)
        one.restart()
        return
    one.position = one.chunk_end = position
    one.maximum = maximum
    one.key_columns = tuple(stored.get("key") or ())
    one.rows = int(stored.get("rows") or 0)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _table_text(table: TableId) -> str:
    plain = all(part and not set(part) & set('."`') for part in table)
    return str(table) if plain else table.quoted()
