"""The options of a translator, and what it needs of a reader of missing values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from connector.capture.change import Operation, Row
from connector.capture.selection import Matches
from connector.capture.table_schema import TableEventSchema
from connector.mysql.types.type_options import FailureMode

RowPairs = list[tuple[Row | None, Row | None]]


class MissingValues(Protocol):
    """Reads values that log events lack from the database."""

    def completed(
        self, codec: TableEventSchema, rows: RowPairs, lacking: frozenset[int], micros: int
    ) -> RowPairs:
        """Return the rows of an event with the values that were read.

        :param lacking: the slots that the log holds neither before nor after the change.
        :param micros: the database's time of the event.
        """
        ...


@dataclass(frozen=True, slots=True)
class TranslateOptions:
    """What of the log is wanted. ``gtid_times``: event times are those of the GTIDs (MySQL).

    ``marks``: the begin and the end of transactions are told. ``places``: changes tell their
    place as text. ``reselection`` reads what rows lack. ``logs_rollbacks``: the log may hold
    rows that a rollback took back.
    """

    skipped: frozenset[Operation] = frozenset()
    queries: bool = False
    gtid_times: bool = False
    captures_gtid: Matches | None = None
    on_failure: FailureMode = "fail"
    marks: bool = False
    places: bool = False
    reselection: MissingValues | None = None
    logs_rollbacks: bool = False
