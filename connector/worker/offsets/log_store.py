"""Offsets over a log: in memory, in a file or in a compacted topic.

An entry is Connect's: key ``["<connector>",{<partition>}]``, value ``{<offset>}``, both JSON
without spaces. A key that was read is written again with the very same bytes, since a map with
another key order would be another key, and perhaps another partition of the topic.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from connector.errors import DamagedOffsetError, StopError
from connector.plugin import Offset, Partition
from connector.worker.storage import Log, parse_json

_log = logging.getLogger(__name__)

_CONNECTOR: Final = re.compile(rb'\[\s*("(?:[^"\\\x00-\x1f]|\\.)*")')

Identity = tuple[str, frozenset[tuple[str, object]]]


@dataclass(slots=True)
class _StoredOffset:
    key: bytes
    partition: Partition
    offset: Offset | None


class LogOffsetStore:
    """Keeps offsets in a log; `load` of a connector answers from memory."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._stored: dict[Identity, _StoredOffset] = {}
        self._damaged: dict[bytes, str] = {}  # key of an entry → its connector
        self._lock = threading.Lock()
        self._writing: dict[str, threading.Lock] = {}

    def open(self) -> None:
        """Read the log; raises as `Log.read` does."""
        for key, value in self._log.read().items():
            entry = _decode(key, value)
            if entry is not None:
                name, stored = entry
                self._stored[_identity(name, stored.partition)] = stored
            else:
                self._note_damage(key)

    def _note_damage(self, key: bytes) -> None:
        name = _connector_of(key)
        if name is None:
            _log.warning("An entry among the offsets belongs to no connector: it is skipped.")
            return
        self._damaged[key] = name
        _log.error("The offset of connector %s is damaged: it is no JSON object.", name)

    def load(self, connector: str, partition: Partition) -> Offset | None:
        """Return the offset of a partition.

        :raises DamagedOffsetError: an entry of the connector cannot be read.
        """
        with self._lock:
            if connector in self._damaged.values():
                raise DamagedOffsetError(connector, "is damaged: it is no JSON object")
            stored = self._stored.get(_identity(connector, partition))
            return stored.offset if stored else None

    def save(self, connector: str, partition: Partition, offset: Offset | None) -> None:
        """Write the offset of a partition to the log."""
        self.save_all(connector, [(partition, offset)])

    def save_all(self, connector: str, offsets: Sequence[tuple[Partition, Offset | None]]) -> None:
        """Write several offsets at once; raises as `save` does."""
        entries = [self._entry(connector, *pair) for pair in offsets]
        with self._write_lock(connector):
            self._log.write(
                [
                    (item.key, None if item.offset is None else _json(item.offset))
                    for item in entries
                ]
            )
            with self._lock:
                for item in entries:
                    self._stored[_identity(connector, item.partition)] = item
                    self._damaged.pop(item.key, None)

    def _write_lock(self, connector: str) -> threading.Lock:
        """Return the lock that keeps the writes of a connector in the same order in log and memory.

        A write of an abandoned task may be in progress when its offsets are reset.
        """
        with self._lock:
            return self._writing.setdefault(connector, threading.Lock())

    def items(self, connector: str) -> Sequence[tuple[Partition, Offset]]:
        """Return the partitions of a connector that have an offset."""
        with self._lock:
            return [
                (item.partition, item.offset)
                for (name, _), item in self._stored.items()
                if name == connector and item.offset is not None
            ]

    def reset(self, connector: str) -> None:
        """Remove all offsets of a connector."""
        self.save_all(connector, [(partition, None) for partition, _ in self.items(connector)])
        with self._lock:
            damaged = [key for key, name in self._damaged.items() if name == connector]
        with self._write_lock(connector):
            self._log.write([(key, None) for key in damaged])
            with self._lock:
                for key in damaged:
                    self._damaged.pop(key, None)

    def _entry(self, connector: str, partition: Partition, offset: Offset | None) -> _StoredOffset:
        with self._lock:
            known = self._stored.get(_identity(connector, partition))
        key = known.key if known else _json([connector, _primitives(partition)])
        kept = known.partition if known else dict(partition)
        return _StoredOffset(key, kept, None if offset is None else _primitives(offset))


def _identity(connector: str, partition: Partition) -> Identity:
    # True == 1 in Python, not in JSON: the type belongs to the value
    return connector, frozenset((key, (type(value), value)) for key, value in partition.items())


def _json(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def _primitives(values: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in values.items():
        if value is not None and not isinstance(value, str | int | float | bool):
            raise StopError(
                "Offsets may only contain primitive types as values, but field "
                f"{key} contains {type(value).__name__}"
            )
    return dict(values)


def _connector_of(key: bytes) -> str | None:
    """Return the connector of a damaged entry, None if its key is not that of an offset.

    No connector writes a partition that is nested.
    """
    match = _CONNECTOR.match(key)
    try:
        name: str | None = json.loads(match[1]) if match else None
    except ValueError:
        return None
    return None if _has_nested_partition(key) else name


def _has_nested_partition(key: bytes) -> bool:
    try:
        _, partition = parse_json(key)
    except (TypeError, ValueError):
        return False
    return isinstance(partition, dict) and not _is_flat(partition)


def _is_flat(values: Mapping[str, Any]) -> bool:
    return not any(isinstance(value, dict | list) for value in values.values())


def _decode(key: bytes, value: bytes) -> tuple[str, _StoredOffset] | None:
    """Return the connector and the entry, None for what is no offset."""
    try:
        name, partition = parse_json(key)
        offset = parse_json(value)
    except (TypeError, ValueError):
        return None
    if not isinstance(name, str) or not isinstance(partition, dict) or not _is_flat(partition):
        return None
    return (name, _StoredOffset(key, partition, offset)) if isinstance(offset, dict) else None
