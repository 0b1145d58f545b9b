"""The data of a signal ``schema-changes``: tables in the form of schema history records."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.change import TableChange
from connector.capture.history.table_json import change_from_json
from connector.capture.signals.signal import Signal
from connector.errors import HistoryError

log = logging.getLogger(__name__)

_KINDS: Final = ("CREATE", "ALTER", "DROP")


@dataclass(frozen=True, slots=True)
class TableChangesRequest:
    """The changes of a signal; its events get ``database`` and ``schema``."""

    database: str
    schema: str | None
    changes: tuple[TableChange, ...]


def table_changes_request(signal: Signal) -> TableChangesRequest | None:
    """Read the data of a signal; None, with a line in the log, if they cannot be used."""
    database, documents = signal.data.get("database"), signal.data.get("changes")
    for name, value, kind in (("database", database, str), ("changes", documents, list)):
        if not value or not isinstance(value, kind):
            log.warning("Signal %s is skipped: '%s' is missing from its data", signal.id, name)
            return None
    schema = signal.data.get("schema")
    try:
        changes = tuple(_change(document) for document in documents or ())
    except HistoryError as error:
        log.warning("Signal %s is skipped: %s", signal.id, error)
        return None
    return TableChangesRequest(str(database), None if schema is None else str(schema), changes)


def _change(document: Any) -> TableChange:
    change = change_from_json(document)
    if change.type not in _KINDS:
        raise HistoryError(f"A table change has the unknown type {change.type!r}.")
    return change
