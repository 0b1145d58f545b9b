"""The records of a row that is not known yet: symbols stand for all that differs between rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from connector.capture.change import Row
from connector.capture.table_schema import TableEventSchema
from connector.codegen import Expression
from connector.data.record import Record
from connector.data.symbolic import EVENT, ROW, Symbol
from connector.debezium.events import EventOptions, EventRecords
from connector.debezium.position_header import with_position
from connector.debezium.transactions import Transaction

ROW_NUMBER = "number"
EVENT_ARGUMENTS = ("source", "ts_ms", "ts_us", "ts_ns")
ROW_ARGUMENTS = ("before", "after", ROW_NUMBER, "block", "next_block", "position")
"""The names in the expressions of symbols, in the order in which generated functions take them."""


class RowKind(NamedTuple):
    """What decides which records a row of a table has, and of what they consist.

    ``moves``: an update changed the key. ``counted``: the events have a place in a transaction.
    ``positioned``: they have the header with the position.
    """

    op: str
    before: bool
    after: bool
    moves: bool
    counted: bool
    positioned: bool


class SymbolicEvents(EventRecords):
    """Makes the records of one row of a kind, by the same rules as those of real rows.

    ``calls`` are the symbols of the functions that transforms call with values of the records.
    """

    def __init__(self, options: EventOptions, kind: RowKind) -> None:
        super().__init__(options, Transaction())
        self._options = options
        self._kind = kind
        self.calls: list[Symbol] = []
        self._blocks = iter(("block", "next_block"))

    def records_of(self, codec: TableEventSchema) -> Iterator[Record]:
        """Yield the records, in order."""
        kind, options = self._kind, self._options
        source = {
            field.name: self._symbol(f"source[{slot}]", EVENT)
            for slot, field in enumerate(options.source.fields)
        }
        source[options.source.fields[options.row_slot].name] = self._symbol(ROW_NUMBER)
        before = self._row("before", codec) if kind.before else None
        after = self._row("after", codec) if kind.after else None
        for record in self.row(codec, kind.op, before, after, source, moves=kind.moves):
            yield with_position(record, self._symbol("position")) if kind.positioned else record

    def times(self) -> tuple[Any, Any, Any]:
        """Return the time of the event."""
        ts_ms, ts_us, ts_ns = (self._symbol(name, EVENT) for name in ("ts_ms", "ts_us", "ts_ns"))
        return ts_ms, ts_us, ts_ns

    def transaction_block(self, codec: TableEventSchema, op: str) -> dict[str, Any] | None:  # noqa: ARG002 - the kind decides
        """Return the place in the transaction."""
        if not self._kind.counted:
            return None
        block = next(self._blocks)
        names = ("id", "total_order", "data_collection_order")
        return {name: self._symbol(f"{block}[{name!r}]") for name in names}

    def _row(self, name: str, codec: TableEventSchema) -> Row:
        return tuple(self._symbol(f"{name}[{slot}]") for slot in range(len(codec.columns)))

    def _symbol(self, source: str, scope: int = ROW) -> Symbol:
        return Symbol(Expression(source), scope, self.calls)
