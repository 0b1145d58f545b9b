"""What to do with the rows of a table in the log: skip them, or how to decode them."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable
from typing import Literal

from connector.capture.change import Row
from connector.capture.columns import ColumnCodec
from connector.capture.rowcodec import RowCodec
from connector.capture.tables import Table, TableId, Tables
from connector.errors import SchemaMismatchError, UnknownTableError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.partial import PartialDecoder
from connector.mysql.binlog.rows import ImageDecoder
from connector.mysql.binlog.tablemap import TableMap

log = logging.getLogger(__name__)

_MAX_PLANS = 20_000

OnInconsistency = Literal["fail", "warn", "skip"]


class TablePlan:
    """Decodes the rows of one version of a table."""

    def __init__(self, codec: RowCodec, table_map: TableMap) -> None:
        self.codec = codec
        self._wires = table_map.wires
        self._wanted = [(column, _index(codec.table, column)) for column in codec.columns]
        self._decoders: dict[bytes, ImageDecoder] = {}
        self._partial: PartialDecoder | None = None

    def rows(self, event: RowsChanged) -> list[tuple[Row | None, Row | None]]:
        """Decode the rows of an event.

        :raises SchemaMismatchError: when its bytes are no rows of the table.
        """
        try:
            pairs = self._rows(event)
        except (LookupError, ValueError, struct.error) as error:
            raise SchemaMismatchError(
                f"the rows of table {self.codec.table.id} at position {event.position} of the "
                f"log cannot be read ({type(error).__name__})"
            ) from None  # its own text may hold values of the row
        if self.codec.derived:
            complete = self.codec.completed
            return [
                (before and complete(before), after and complete(after)) for before, after in pairs
            ]
        return pairs

    def _rows(self, event: RowsChanged) -> list[tuple[Row | None, Row | None]]:
        if event.partial:
            return self._completed(self._partial_rows(event), event)
        decoder = self._decoder(event.present)
        if event.kind == "c":
            return [(None, row) for row in decoder.decode(event.data, event.start, event.end)]
        if event.kind == "d":
            return [(row, None) for row in decoder.decode(event.data, event.start, event.end)]
        if event.present == event.present_after:
            images = iter(decoder.decode(event.data, event.start, event.end))
            return list(zip(images, images, strict=True))
        pairs = self._unlike_pairs(event, decoder, self._decoder(event.present_after))
        return self._completed(pairs, event)

    def _unlike_pairs(
        self, event: RowsChanged, before: ImageDecoder, after: ImageDecoder
    ) -> list[tuple[Row | None, Row | None]]:
        pairs: list[tuple[Row | None, Row | None]] = []
        offset = event.start
        while offset < event.end:
            old, offset = before.decode_one(event.data, offset)
            new, offset = after.decode_one(event.data, offset)
            pairs.append((old, new))
        if offset != event.end:
            raise SchemaMismatchError(
                f"a row image ends {offset - event.end} bytes behind its event"
            )
        return pairs

    def _completed(
        self, pairs: list[tuple[Row | None, Row | None]], event: RowsChanged
    ) -> list[tuple[Row | None, Row | None]]:
        """Take what an update did not change from the image before, as far as it is there.

        With ``binlog_row_image=MINIMAL`` only that one has the key.
        """
        unchanged = [
            slot
            for slot, (_, index) in enumerate(self._wanted)
            if has_column(event.present, index) and not has_column(event.present_after, index)
        ]
        if not unchanged:
            return pairs
        return [(old, old and new and _taken(old, new, unchanged)) for old, new in pairs]

    def _partial_rows(self, event: RowsChanged) -> list[tuple[Row | None, Row | None]]:
        if self._partial is None:
            self._partial = PartialDecoder(self._wires, self._wanted)
        return self._partial.rows(event)

    def _decoder(self, present: bytes) -> ImageDecoder:
        decoder = self._decoders.get(present)
        if decoder is None:
            decoder = ImageDecoder(self._wires, self._wanted, present)
            self._decoders[present] = decoder
        return decoder


class TablePlans:
    """The plans of all tables met since the last DDL statement.

    ``hash_columns``: a table may end in columns that no definition tells of (MariaDB).
    """

    def __init__(
        self,
        tables: Tables,
        codec_of: Callable[[Table], RowCodec],
        captures: Callable[[TableId], bool],
        on_inconsistency: OnInconsistency,
        *,
        hash_columns: bool = False,
    ) -> None:
        self._tables = tables
        self._codec_of = codec_of
        self._captures = captures
        self._on_inconsistency = on_inconsistency
        self._hash_columns = hash_columns
        self._plans: dict[TableMap, TablePlan | None] = {}

    def plan(self, table_map: TableMap | None) -> TablePlan | None:
        """Return how to decode a table's rows; None when they are not wanted.

        :raises UnknownTableError: a captured table whose definition is not known.
        :raises SchemaMismatchError: one whose definition does not fit the log.
        """
        if table_map is None:
            return None
        if table_map in self._plans:
            return self._plans[table_map]
        if len(self._plans) >= _MAX_PLANS:  # a table that is opened anew has another description
            self._plans.clear()
        self._plans[table_map] = plan = self._make(table_map)
        return plan

    def clear(self) -> None:
        """Forget the plans: a definition has changed."""
        self._plans.clear()

    def _make(self, table_map: TableMap) -> TablePlan | None:
        name = table_map.table
        if not self._captures(name):
            return None
        table = self._tables.get(name)
        if table is None and table_map.looks_like_sequence():
            return None
        if table is None:
            self._inconsistent(
                UnknownTableError(
                    f"Encountered change event for table {name} whose schema isn't known to "
                    "this connector."
                )
            )
            return None
        hidden = table_map.hash_columns() if self._hash_columns else 0
        fault = _difference(table, table_map, hidden)
        if fault:
            self._inconsistent(SchemaMismatchError(f"Table {name} is known to {fault}."))
            return None
        return TablePlan(self._codec_of(table), table_map)

    def _inconsistent(self, error: UnknownTableError | SchemaMismatchError) -> None:
        if self._on_inconsistency == "fail":
            raise error
        level = logging.WARNING if self._on_inconsistency == "warn" else logging.DEBUG
        log.log(level, "%s Its events are skipped.", error)


def _difference(table: Table, table_map: TableMap, hidden: int) -> str | None:
    """Tell where a table was altered without a word in the log, as with ``sql_log_bin=0``.

    The log has names with ``binlog_row_metadata=FULL`` only. A quote within one is doubled in the
    definitions, as in Debezium's.
    """
    more = len(table_map.wires) - len(table.columns)
    if not 0 <= more <= hidden:
        return (
            f"have {len(table.columns)} columns, but its rows in the log have "
            f"{len(table_map.wires)}"
        )
    for column, found in zip(table.columns, table_map.names, strict=False):
        if _plain(column.name) != _plain(found):
            return f"have the column {column.name} where its rows in the log have {found}"
    return None


def _plain(name: str) -> str:
    return name.replace("``", "`").casefold()


def has_column(present: bytes, index: int) -> bool:
    """Whether a bitmap of columns has a column."""
    return bool(present[index >> 3] >> (index & 7) & 1)


def _taken(old: Row, new: Row, slots: list[int]) -> Row:
    values = list(new)
    for slot in slots:
        values[slot] = old[slot]
    return tuple(values)


def _index(table: Table, codec: ColumnCodec) -> int:
    return table.columns.index(codec.column)
