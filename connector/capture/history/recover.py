"""The tables as they were at a position, made anew from a schema history."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

import orjson

from connector.capture.history.record import HistoryRecord
from connector.capture.history.table_json import Json, change_from_json, parse_table_id
from connector.capture.tables import TableId, Tables

_LOG: Final = logging.getLogger(__name__)

Position = Mapping[str, Any]


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
    is_reached: Callable[[Position], bool],
    created: Callable[[TableId], None] = lambda _: None,
    goes_on: Callable[[str], bool] = lambda _: False,
    *,
    prefer_ddl: bool = False,
) -> int:
    """Apply the records of one source up to a position and return how many were applied.

    :param source: the source partition; records of others are passed over.
    :param is_reached: tells whether a recorded position is at or before the one to recover.
    :param created: told of each table that is defined as a whole.
    :param goes_on: tells of a statement whose record holds the tables whether it is needed, too:
        what else is known of one table becomes that of another.
    :param prefer_ddl: parse statements anew even where the record holds the tables.
    :raises HistoryError: for a record that cannot be read.
    """
    latest = _LatestTables(tables)
    applied, written = 0, _Written()
    for record in records:
        if record.source != source or not is_reached(record.position) or written.before(record):
            continue
        if record.table_changes and not prefer_ddl:
            if record.ddl is not None and goes_on(record.ddl):
                latest.settle()
                replay(record.ddl, record.database)
            else:
                _tell_created(record.table_changes, created)
            latest.note(record.table_changes)
        elif (statement := record.ddl or record.unread) is not None:
            latest.settle()
            replay(statement, record.database)
        applied += 1
    latest.settle()
    _LOG.info("Recovered %d tables from %d records of the schema history.", len(tables), applied)
    return applied


class _Written:
    """The records of the last position: a record may have been written twice.

    A broker that is away may have stored a record whose acknowledgement is lost; the statement is
    read again then. Applied twice, a statement that swaps two columns changes nothing.
    """

    def __init__(self) -> None:
        self._position: Position | None = None
        self._records: list[HistoryRecord] = []

    def before(self, record: HistoryRecord) -> bool:
        """Whether the same record came before, but for its time. Snapshots repeat theirs."""
        if record.position.get("snapshot"):
            return False
        if record.position != self._position:
            self._position, self._records = record.position, []
        timeless = replace(record, ts_ms=None)
        if timeless in self._records:
            return True
        self._records.append(timeless)
        return False


def _tell_created(documents: Iterable[Json], created: Callable[[TableId], None]) -> None:
    for document in documents:
        if document["type"] == "CREATE":
            created(parse_table_id(document["id"]))


class _LatestTables:
    """The last document of each table, made into a table only when something asks for it.

    A long history holds many versions of a table, of which all but one are overtaken. They are kept
    as text: as objects those of 5,000 tables take 100 MB, and the garbage collector looks through
    them over and over.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._noted: dict[TableId, bytes] = {}

    def note(self, documents: Iterable[Json]) -> None:
        """Take the changes of a record."""
        for document in documents:
            previous = document.get("previousId")
            if previous:
                dropped: Json = {"type": "DROP", "id": previous}
                self._noted[parse_table_id(previous)] = orjson.dumps(dropped)
            self._noted[parse_table_id(document["id"])] = orjson.dumps(document)

    def settle(self) -> None:
        """Make the tables out of what was noted."""
        for text in self._noted.values():
            change = change_from_json(orjson.loads(text))
            if change.table is None:
                self._tables.remove(change.id)
            else:
                self._tables.put(change.table)
        self._noted.clear()
