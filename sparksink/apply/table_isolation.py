"""Keeps the errors of one table from the others: work is retried, then the table is parked."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sparksink.apply.batch import TopicBatch
from sparksink.apply.parking import Parking
from sparksink.config.operation import Errors
from sparksink.errors import SinkError, TableError
from sparksink.spark_errors import SparkError, cause, data_loss_error
from sparksink.state.table_result import TableResult

log = logging.getLogger(__name__)

_LONGEST_WAIT: Final = 60.0


class TableIsolation:
    """Runs the work of tables, which must be idempotent.

    ``may_retry`` is called before a retry, and raises if this job must not write any more: the
    error may be that of a table which the next job has fenced.
    """

    def __init__(self, rules: Errors, parking: Parking) -> None:
        self._rules = rules
        self._parking = parking
        self.may_retry: Callable[[], None] = lambda: None

    def run(
        self,
        work: Callable[[], TableResult],
        table: str,
        part: TopicBatch | None = None,
        *,
        resumed: bool,
    ) -> TableResult | None:
        """Run the work of a table; return None if the table was parked because of an error.

        :param part: the messages that are stored then.
        :raises SinkError: the job cannot continue.
        :raises TableError: the table was to be resumed.
        """
        try:
            return self._retry(work, table)
        except TableError as error:
            self._parking.park(table, error, part, resumed=resumed)
        except SinkError:
            raise
        except Exception as error:
            # Whatever the error of one table is, the others continue.
            log.exception("%s: an unexpected error", table)
            unexpected = TableError(f"{table}: unexpected {type(error).__name__}, see the log.")
            self._parking.park(table, unexpected, part, resumed=resumed)
        return None

    def _retry(self, work: Callable[[], TableResult], table: str) -> TableResult:
        """Retry after errors of Spark or a file system.

        :raises TableError: it fails each time.
        :raises LeaseError: another job writes the tables.
        :raises DataLossError: messages are gone from Kafka.
        """
        pause = min(self._rules.backoff, _LONGEST_WAIT)
        for attempt in range(self._rules.retries + 1):
            try:
                return replace(work(), retries=attempt)
            except SparkError as error:
                if gone := data_loss_error(error):
                    raise gone from error
                if attempt == self._rules.retries:
                    raise TableError(f"{table}: {cause(error)}") from error
                log.warning("%s: attempt %d failed: %s", table, attempt + 1, cause(error))
            time.sleep(pause)
            self.may_retry()
            pause = min(2 * pause, _LONGEST_WAIT)
        raise AssertionError("unreachable")
