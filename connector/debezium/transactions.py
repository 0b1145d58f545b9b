"""Transaction metadata: marks in a topic of their own, and the order of events inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.capture.change import TransactionBoundary
from connector.capture.tables import TableId
from connector.data.java import hash_order
from connector.data.record import Record
from connector.debezium.schemas import TRANSACTION_KEY, TRANSACTION_VALUE

_ID = "transaction_id"
_ORDER = "transaction_data_collection_order_"


class Transaction:
    """The transaction in progress: counts its events and survives a restart in its middle.

    Before Debezium 3.6 a transaction that is read again after a restart begins again;
    ``resumes`` is False then.
    """

    def __init__(self, *, resumes: bool = True) -> None:
        self._resumes = resumes
        self.id: str | None = None
        self.total = 0
        self._by_table: dict[str, int] = {}

    def event(self, table: TableId) -> dict[str, Any]:
        """Count one more event; return its transaction block."""
        count = self.count(table, 1)
        return {"id": self.id, "total_order": self.total, "data_collection_order": count}

    def count(self, table: TableId, events: int) -> int:
        """Count some more events of a table; return how many it has now."""
        name = str(table)
        self.total += events
        self._by_table[name] = count = self._by_table.get(name, 0) + events
        return count

    def uncount(self, table: TableId, events: int) -> None:
        """Forget the last events of a table: they are counted again."""
        if not events:
            return
        name = str(table)
        self.total -= events
        self._by_table[name] -= events
        if not self._by_table[name]:
            del self._by_table[name]

    def begin(self, transaction: str, *, resumed: bool = False) -> bool:
        """Start a transaction. False when it continues from before a restart.

        An offset of Debezium may be that of BEGIN: nothing of the transaction is counted then.
        """
        continues = resumed or not self._by_table
        if continues and self._resumes and transaction == self.id:
            return False
        self._reset(transaction)
        return True

    def end(self) -> tuple[str | None, int, list[tuple[str, int]]]:
        """Finish; return the id, the number of events and that of each table."""
        order = hash_order(self._by_table)
        counts = [(name, self._by_table[name]) for name in order]
        finished = (self.id, self.total, counts)
        self._reset(None)
        return finished

    def to_offset(self) -> dict[str, Any]:
        """Return what an offset needs to go on in the middle of the transaction."""
        if self.id is None and not self._by_table:
            return {}
        kept: dict[str, Any] = {} if self.id is None else {_ID: self.id}
        return kept | {_ORDER + name: count for name, count in self._by_table.items()}

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Take up the counts of an offset."""
        self._reset(offset.get(_ID))
        for key, count in offset.items():
            if key.startswith(_ORDER):
                self._by_table[key.removeprefix(_ORDER)] = int(count)
        self.total = sum(self._by_table.values())

    def _reset(self, transaction: str | None) -> None:
        self.id = transaction
        self.total = 0
        self._by_table = {}


def mark_record(mark: TransactionBoundary, transaction: Transaction, topic: str) -> Record | None:
    """Build the record of a transaction boundary, None if none is emitted."""
    if mark.status == "BEGIN":
        if not transaction.begin(mark.id, resumed=mark.resumed):
            return None
        value = _value("BEGIN", mark.id, None, None, mark.ts_ms)
        return Record(topic, None, TRANSACTION_KEY, {"id": mark.id}, TRANSACTION_VALUE, value)
    name, total, counts = transaction.end()
    if name is None:
        return None
    value = _value("END", name, total, counts, mark.ts_ms)
    return Record(topic, None, TRANSACTION_KEY, {"id": name}, TRANSACTION_VALUE, value)


def _value(
    status: str, name: str, total: int | None, counts: list[tuple[str, int]] | None, ts_ms: int
) -> dict[str, Any]:
    collections = None
    if counts is not None:
        collections = [{"data_collection": table, "event_count": count} for table, count in counts]
    return {
        "status": status,
        "id": name,
        "event_count": total,
        "data_collections": collections,
        "ts_ms": ts_ms,
    }
