"""A snapshot of the tables of a schema history, so that a start reads only later records.

It is a file next to the history, which it does not change. A snapshot that does not fit (another
configuration, another version of the product, a damaged file, a history that does not contain its
last record) is ignored, and the whole history is read.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from connector.capture.tables import Column, Table, TableId

_LOG: Final = logging.getLogger(__name__)
_FORMAT: Final = 1
_NAMES: Final = tuple(field.name for field in fields(Column))
_WRONG_SHAPE: Final = (KeyError, TypeError, ValueError, IndexError)


class HistoryMark(NamedTuple):
    """Identifies a record of a history: its offset, and the digest of its text."""

    offset: int
    digest: str

    @classmethod
    def of(cls, offset: int, text: bytes) -> HistoryMark:
        """HistoryMark a record."""
        return cls(offset, hashlib.sha256(text).hexdigest())


@dataclass(frozen=True, slots=True)
class HistorySnapshot:
    """The tables of a history up to ``mark``, as of a position.

    ``state`` is the state of the database's parser in addition to the tables.
    """

    mark: HistoryMark
    position: Mapping[str, Any]
    state: Mapping[str, Any]
    tables: Sequence[Table]


class SnapshotFile:
    """Keeps one snapshot in a file.

    :param basis: what a snapshot depends on in addition to the history: configuration and version.
    :param worth: a new snapshot is written after so many records.
    """

    def __init__(self, path: Path, basis: Mapping[str, Any], *, worth: int = 500) -> None:
        self._path = path
        self._basis = basis
        self.worth = worth

    def load(self, basis: Mapping[str, Any]) -> HistorySnapshot | None:
        """Return the snapshot; None if there is no usable one.

        :param basis: what it depends on too, known at the start only.
        """
        try:
            return self._read({**self._basis, **basis})
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = f"it cannot be read: {error.strerror}"
        except _UnfitError as error:
            reason = str(error)
        except (orjson.JSONDecodeError, *_WRONG_SHAPE):
            reason = "it is damaged"
        _LOG.warning("The whole history is read, not its snapshot %s: %s", self._path, reason)
        return None

    def _read(self, basis: Mapping[str, Any]) -> HistorySnapshot:
        digest, _, text = self._path.read_bytes().partition(b"\n")
        if digest != _digest(text):
            raise _UnfitError("it is damaged")
        head, *lines = text.split(b"\n")
        found = orjson.loads(head)
        if (found["format"], found["basis"]) != (_FORMAT, basis):
            raise _UnfitError("it belongs to another configuration or version")
        tables = [_table(orjson.loads(line)) for line in lines]
        return HistorySnapshot(
            HistoryMark(*found["mark"]), found["position"], found["state"], tables
        )

    def save(self, snapshot: HistorySnapshot, basis: Mapping[str, Any]) -> None:
        """Replace the last snapshot atomically.

        An error is logged and has no other effect: the next start takes longer.
        """
        head = orjson.dumps(
            {
                "format": _FORMAT,
                "basis": {**self._basis, **basis},
                "mark": list(snapshot.mark),
                "position": dict(snapshot.position),
                "state": dict(snapshot.state),
            }
        )
        tables = (orjson.dumps(_document(table)) for table in snapshot.tables)
        text = b"\n".join((head, *tables))
        new = self._path.with_name(self._path.name + ".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as file:
                file.write(_digest(text) + b"\n" + text)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
        except OSError as error:
            _LOG.warning(
                "The snapshot of the schema history cannot be written to %s: %s",
                self._path,
                error.strerror,
            )
            return
        _LOG.info("Snapshot of the history: %d tables in %s", len(snapshot.tables), self._path)


class _UnfitError(Exception):
    """The snapshot cannot be used; the text says why."""


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def _document(table: Table) -> list[Any]:
    columns = [[getattr(column, name) for name in _NAMES] for column in table.columns]
    key = list(table.primary_key)
    return [*table.id, key, table.default_charset, table.comment, columns]


def _table(document: list[Any]) -> Table:
    database, name, key, charset, comment, columns = document
    for values in columns:
        values[-1] = tuple(values[-1])
    made = tuple(Column(*values) for values in columns)
    return Table(TableId(database, name), made, tuple(key), charset, comment)
