"""Rebuilds the tables as of a position from a schema history."""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

import orjson

from connector.capture.history.record import HistoryRecord, RecordedPosition
from connector.capture.history.table_json import Json, change_from_json, parse_table_id
from connector.capture.progress import Recovered
from connector.capture.tables import TableId, Tables

_LOG: Final = logging.getLogger(__name__)


class StatementReplay(Protocol):
    """Applies a recorded statement to the tables being recovered.

    ``database`` None leaves the current database as it was.
    """

    def __call__(self, statement: str, database: str | None) -> None:
        """Apply one statement."""
        ...


def recover(
    records: Iterable[HistoryRecord],
    source: Mapping[str, Any],
    tables: Tables,
    replay: StatementReplay,
    is_reached: Callable[[RecordedPosition], bool],
    on_defined: Callable[[TableId], None] = lambda _: None,
    must_replay: Callable[[str], bool] = lambda _: False,
    *,
    prefer_ddl: bool = False,
) -> Recovered:
    """Apply the records of one source up to a position and return which were applied.

    :param source: the source partition; records of others are skipped.
    :param is_reached: whether a recorded position is at or before the one to recover.
    :param on_defined: called with each table that a record defines completely.
    :param must_replay: whether a statement must be replayed although its record has the tables,
        because it has effects that the record does not contain.
    :param prefer_ddl: parse statements again even if the record has the tables.
    :raises HistoryError: a record is unreadable.
    """
    latest = _LatestTables(tables)
    applied, last = 0, None
    for record in _applicable(records, source, is_reached):
        statement = record.ddl or record.unparsed
        if record.table_changes and not (prefer_ddl and statement):
            if record.ddl is not None and must_replay(record.ddl):
                latest.flush()
                replay(record.ddl, record.database)
            else:
                kinds = ("CREATE",) if statement else ("CREATE", "ALTER")
                _notify_defined(record.table_changes, kinds, on_defined)
            latest.add(record.table_changes)
        elif statement is not None:
            latest.flush()
            replay(statement, record.database)
        applied, last = applied + 1, record
    latest.flush()
    _LOG.info("Recovered %d tables from %d records of the schema history.", len(tables), applied)
    return Recovered(applied, "" if last is None else last.summary())


def _applicable(
    records: Iterable[HistoryRecord],
    source: Mapping[str, Any],
    is_reached: Callable[[RecordedPosition], bool],
) -> Iterator[HistoryRecord]:
    """Yield the records of a source up to a position, each once."""
    duplicates = _DuplicateFilter()
    for record in records:
        if (
            record.source == source
            and is_reached(record.position)
            and not duplicates.is_duplicate(record)
            and not _is_redefinition(record)
        ):
            yield record


def _is_redefinition(record: HistoryRecord) -> bool:
    """Whether a record drops a table that the next one creates again.

    A blocking snapshot records both, and may end in between. The table must not be lost by that.
    """
    changes = record.table_changes or ()
    return record.position.get("snapshot") == "BLOCKING" and [
        change["type"] for change in changes
    ] == ["DROP"]


class _DuplicateFilter:
    """Finds records that were written twice, among those of the last position.

    An unavailable broker may have stored a record whose acknowledgement is lost; the statement is
    then read again. Applied twice, a statement that swaps two columns changes nothing.
    """

    def __init__(self) -> None:
        self._position: RecordedPosition | None = None
        self._records: list[HistoryRecord] = []

    def is_duplicate(self, record: HistoryRecord) -> bool:
        """Whether an equal record, except for its time, came before. Snapshots repeat theirs."""
        if record.position.get("snapshot"):
            return False
        if record.position != self._position:
            self._position, self._records = record.position, []
        timeless = replace(record, ts_ms=None)
        if timeless in self._records:
            return True
        self._records.append(timeless)
        return False


def _notify_defined(
    documents: Iterable[Json], kinds: Container[str], on_defined: Callable[[TableId], None]
) -> None:
    for document in documents:
        if document["type"] in kinds:
            on_defined(parse_table_id(document["id"]))


class _LatestTables:
    """The last document of each table, parsed only when the tables are needed.

    A long history has many versions of a table, of which all but one are superseded. They are kept
    as text: as objects those of 5,000 tables take 100 MB, which the garbage collector scans again
    and again. They are in the order of the last changes, under the names by which tables are kept:
    a server without case in names reads a name that was dropped in one case and created in another
    as the same.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._documents: dict[TableId, bytes] = {}

    def add(self, documents: Iterable[Json]) -> None:
        """Add the changes of a record."""
        for document in documents:
            previous = document.get("previousId")
            if previous:
                self._put({"type": "DROP", "id": previous})
            self._put(document)

    def _put(self, document: Json) -> None:
        name = self._tables.key(parse_table_id(document["id"]))
        self._documents.pop(name, None)
        self._documents[name] = orjson.dumps(document)

    def flush(self) -> None:
        """Apply the last document of each table."""
        for text in self._documents.values():
            change = change_from_json(orjson.loads(text))
            if change.table is None:
                self._tables.remove(change.id)
            else:
                self._tables.put(change.table)
        self._documents.clear()
