"""One record of a schema history: a statement, where it stood, and the tables it changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from connector.capture.change import TableChange
from connector.capture.history.json_text import compact, pretty
from connector.capture.history.table_json import Json, change_from_json, change_to_json
from connector.errors import HistoryError

RecordedPosition = Mapping[str, Any]
"""The offset map that a history records with a statement."""
_UNPARSED: Final = "unparsedDdl"


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """A record in Debezium's format.

    ``source`` is the source partition (``{"server": prefix}``), ``position`` the offset map that
    was current when the statement was read. ``table_changes`` are JSON documents: most are
    superseded by later ones and never parsed; None if a record lacks the member. ``unparsed`` is a
    statement that could not be parsed: it has a member of its own, which Debezium ignores, because
    Debezium fails at a ``ddl`` that it cannot parse.
    """

    source: Mapping[str, Any]
    position: RecordedPosition
    database: str | None
    ddl: str | None
    table_changes: tuple[Json, ...] | None = ()
    ts_ms: int | None = None
    schema: str | None = None
    unparsed: str | None = None

    @classmethod
    def of(
        cls,
        source: Mapping[str, Any],
        position: Mapping[str, Any],
        database: str,
        ddl: str | None,
        changes: Iterable[TableChange],
        ts_ms: int,
        *,
        is_read: bool = True,
        schema: str | None = None,
    ) -> HistoryRecord:
        """Build the record of a statement; ``ts_ms`` is the time of recording.

        Without a statement it is the record of a signal.
        """
        documents = tuple(map(change_to_json, changes))
        if not is_read:
            return cls(source, position, database, None, documents, ts_ms, unparsed=ddl)
        return cls(source, position, database, ddl, documents, ts_ms, schema)

    def changes(self) -> list[TableChange]:
        """Return the changed tables.

        :raises HistoryError: for a change that cannot be read.
        """
        return [change_from_json(document) for document in self.table_changes or ()]

    def summary(self) -> str:
        """Return what the record changes, without the statement."""
        changes = (f"{one['type']} {one['id']}" for one in self.table_changes or ())
        return ", ".join(changes).replace('"', "") or f"a statement of {self.database}"

    def line(self) -> str:
        """Return the record as the line of a file, without its end."""
        return compact(self._document())

    def text(self) -> str:
        """Return the record as the value of a Kafka message, over many lines."""
        return pretty(self._document())

    def _document(self) -> Json:
        document: Json = {"source": dict(self.source), "position": dict(self.position)}
        for name, value in (
            ("ts_ms", self.ts_ms),
            ("databaseName", self.database),
            ("schemaName", self.schema),
            ("ddl", self.ddl),
            (_UNPARSED, self.unparsed),
        ):
            if value is not None:
                document[name] = value
        if self.table_changes is not None:
            document["tableChanges"] = list(self.table_changes)
        return document


def parse_record(text: str | bytes) -> HistoryRecord:
    """Read a record in either form, of this or an older version.

    :raises HistoryError: for what is no record.
    """
    try:
        document = orjson.loads(text)
        changes = document.get("tableChanges")
        return HistoryRecord(
            document["source"],
            document["position"],
            document.get("databaseName"),
            document.get("ddl"),
            None if changes is None else tuple(changes),
            document.get("ts_ms"),
            document.get("schemaName"),
            document.get(_UNPARSED),
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise HistoryError(f"The schema history holds an unreadable record: {error}.") from error
