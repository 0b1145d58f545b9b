"""The options of a translator, and the protocol of a reader of missing values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from connector.capture.change import Operation, RowPairs
from connector.capture.selection import Matches
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.mysql.types.type_options import FailureMode


class MissingValues(Protocol):
    """Reads values that log events lack from the database."""

    def complete(
        self, codec: TableEventSchema, rows: RowPairs, lacking: frozenset[int], micros: int
    ) -> RowPairs:
        """Return the rows of an event with the values that were read.

        :param lacking: the slots that the log holds neither before nor after the change.
        :param micros: the database's time of the event.
        """
        ...


@dataclass(frozen=True, slots=True)
class TranslateOptions:
    """Which changes are emitted. ``gtid_times``: event times are those of the GTIDs (MySQL).

    ``boundaries``: the begin and the end of transactions are emitted. ``position_headers``: changes
    have their position as text. ``reselection`` reads values that rows lack. ``logs_rollbacks``:
    the log may contain rows that a rollback removed. A statement in which ``signal_table`` occurs,
    a quoted name in lower case, is not taken as the query of its rows. Rows of ``signals`` are
    signals.
    """

    skipped: frozenset[Operation] = frozenset()
    queries: bool = False
    gtid_times: bool = False
    captures_gtid: Matches | None = None
    on_failure: FailureMode = "fail"
    boundaries: bool = False
    position_headers: bool = False
    reselection: MissingValues | None = None
    logs_rollbacks: bool = False
    signal_table: str = ""
    signals: TableId | None = None
