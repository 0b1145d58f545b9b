"""Row changes through transforms straight to bytes.

The transforms run once for each kind of row of a table version, on records of symbols
(`connector.data.symbolic`); what they make of these is written down as a function
(`connector.debezium.message_code`). Rows of a kind for which that fails, and rows that such a
function cannot write, take the generic path, which decides on each record.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from connector.capture.change import EventBatch, RowChanges, RowsOfKind
from connector.capture.table_schema import TableEventSchema
from connector.data.record import ApplyTransform, EncodeHeader, Message, Record, WriteBatch
from connector.data.symbolic import NotCompilableError
from connector.debezium.events import EventOptions, moving, numbered_rows
from connector.debezium.message_code import (
    BindEvent,
    MessageCode,
    PartConverter,
    WriteRow,
)
from connector.debezium.native_chain import NativeChain, native_chain
from connector.debezium.native_rows import batch_writer
from connector.debezium.symbolic_events import RowKind, SymbolicEvents
from connector.debezium.table_versions import TableVersions
from connector.debezium.transactions import Transaction
from connector.errors import (
    MillraceError,
    RegistryUnavailableError,
    SchemaRefusedError,
    TransformError,
)
from connector.native import ArrangedKind, Rows, is_native

log = logging.getLogger(__name__)

_PASSED_ON = (NotCompilableError, RegistryUnavailableError, SchemaRefusedError)

Timestamp = Callable[[Record], int | None]


class CompiledChain:
    """Writes the messages of row changes that go through ``transform``.

    ``timestamp`` is that of the message for a record.
    """

    def __init__(
        self,
        options: EventOptions,
        transaction: Transaction,
        converters: tuple[PartConverter, PartConverter, EncodeHeader],
        transform: ApplyTransform,
        timestamp: Timestamp,
    ) -> None:
        self._options = options
        self._transaction = transaction
        self._converters = converters
        self._transform = transform
        self._timestamp = timestamp
        self._tables = TableVersions(_TableFunctions)
        self._reported = False

    def messages(self, change: RowChanges) -> Sequence[Message]:
        """Return the messages of a change, in order.

        :raises NotCompilableError: the change has to take the generic path.
        :raises RegistryUnavailableError: a schema registry does not answer.
        """
        counted = self._transaction.total
        try:
            return self._write(change)
        except Exception as error:
            # Nothing is sent yet: all rows of the change are written and counted again.
            self._transaction.uncount(change.codec.table.id, self._transaction.total - counted)
            if isinstance(error, _PASSED_ON):
                raise
            raise NotCompilableError(f"{type(error).__name__} for a row") from error

    def _write(self, change: RowChanges) -> Sequence[Message]:
        codec, transaction = change.codec, self._transaction
        table = self._tables.of(codec)
        now = self._options.now()
        event = (change.source, now // 1_000_000, now // 1000, now)
        counts = self._options.transactions and transaction.id is not None and change.op != "r"
        if is_native(change.rows) and change.position_text is None:
            written = self._natively(table, change.op, change.rows, event, counted=counts)
            if written is not None:
                change.rows = []  # as below
                return written
        text, numbered = change.position_text, change.first_row is not None
        writers: dict[tuple[bool, bool, bool], WriteRow] = {}
        messages: list[Message] = []
        for row, (before, after) in numbered_rows(change, self._options):
            moves = before is not None and after is not None and table.moved(before, after)
            shape = (before is not None, after is not None, moves)
            write = writers.get(shape)
            if write is None:
                kind = RowKind(change.op, *shape, counts, text is not None)
                write = writers[shape] = self._function(table, kind)(*event)
            number = row if numbered else 0
            block = transaction.event(codec.table.id) if counts else None
            following = transaction.event(codec.table.id) if counts and moves else None
            position = None if text is None else text.of_row(number)
            write(before, after, number, block, following, position, messages.append)
        change.rows = []  # rows may be huge, and their messages may have to wait
        return messages

    def batch(self, batch: EventBatch) -> WriteBatch | None:
        """Return what writes the events of a batch, as `batch_writer` has it."""
        now = self._options.now()
        moment = (now // 1_000_000, now // 1000, now)
        kinds = [self._described(kind, moment) for kind in batch.kinds]
        return batch_writer(batch, kinds, now)

    def _described(self, kind: RowsOfKind, moment: tuple[int, int, int]) -> ArrangedKind | None:
        """Describe to the core how it writes rows of a kind; None where it does not."""
        if self._options.transactions and self._transaction.id is not None:
            return None
        try:
            chain = self._native_chain(self._tables.of(kind.codec), kind.op)
        except (MillraceError, NotCompilableError):
            return None  # its first event raises the error once more
        return chain and (chain.writer, kind.op, chain.bind, moment, chain.is_constant)

    def _natively(
        self,
        table: _TableFunctions,
        op: str,
        rows: Rows,
        event: tuple[Any, ...],
        *,
        counted: bool,
    ) -> Sequence[Message] | None:
        """Let the native core write rows that it read; None where it cannot."""
        chain = self._native_chain(table, op, counted=counted) if op == rows.kind else None
        messages = None if chain is None else chain.messages(rows, event)
        if messages is not None and counted:
            self._transaction.count(table.codec.table.id, len(rows))
        return messages

    def _native_chain(
        self, table: _TableFunctions, op: str, *, counted: bool = False
    ) -> NativeChain | None:
        """Return what writes rows of an operation natively; None where Python does."""
        if op not in "cru" or (op == "u" and self._options.skips_unchanged):
            return None
        kind = RowKind(op, op == "u", after=True, moves=False, counted=counted, positioned=False)
        self._function(table, kind)
        return table.native.get(kind)

    def _function(self, table: _TableFunctions, kind: RowKind) -> BindEvent:
        """Return the function for rows of a kind, compiled once."""
        if kind not in table.functions:
            table.functions[kind] = self._compiled(table, kind)
        function = table.functions[kind]
        if function is None:
            raise NotCompilableError("rows of this kind take the generic path")
        return function

    def _compiled(self, table: _TableFunctions, kind: RowKind) -> BindEvent | None:
        codec, code = table.codec, MessageCode(*self._converters)
        made: list[tuple[Record, int | None]] = []
        events = SymbolicEvents(self._options, kind)
        try:
            for record in events.records_of(codec):
                transformed = self._transform(record)
                if transformed is not None:
                    timestamp = self._timestamp(transformed)
                    code.add(transformed, timestamp)
                    made.append((transformed, timestamp))
            has_calls = code.add_calls(events.calls)
            function = code.compile()
        except Exception as error:  # whatever a transform raises for values that are none
            if isinstance(error, (RegistryUnavailableError, SchemaRefusedError)):
                raise
            self._report(codec, error)
            return None
        simple = [record for record, time in made if record.partition is None and time is None]
        if len(made) == len(simple) == 1 and not has_calls:
            table.native[kind] = native_chain(codec, simple[0], self._converters)
        return function

    def _report(self, codec: TableEventSchema, error: Exception) -> None:
        """Log once why rows take the generic path; there a record that fails is reported."""
        if self._reported or isinstance(error, TransformError):
            return
        self._reported = True
        reason = str(error) if isinstance(error, NotCompilableError) else type(error).__name__
        log.info(
            "Transforms are not compiled for table %s: rows take the generic path, which is "
            "slower. Reason: %s",
            codec.table.id,
            reason,
        )


class _TableFunctions:
    """The functions of one table version, by the kind of rows; None where there is none.

    ``native`` are those of the kinds that the native core can write.
    """

    def __init__(self, codec: TableEventSchema) -> None:
        self.codec = codec
        self.moved = moving(codec)
        self.functions: dict[RowKind, BindEvent | None] = {}
        self.native: dict[RowKind, NativeChain | None] = {}
