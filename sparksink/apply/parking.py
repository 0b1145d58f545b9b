"""Parks tables that cannot continue, and stores their messages until they are resumed."""

from __future__ import annotations

import logging

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.config.keys import SinkConfig
from sparksink.errors import SinkError, TableError
from sparksink.state.sink_state import SinkState
from sparksink.state.system_tables import SCHEMAS

log = logging.getLogger(__name__)


class Parking:
    """Parks tables; the messages of a repeated batch are stored once."""

    def __init__(self, config: SinkConfig, state: SinkState) -> None:
        self._config = config
        self._state = state

    def park(
        self,
        table: str,
        error: TableError,
        messages: DataFrame,
        app: str,
        batch: int,
        *,
        kept: bool,
    ) -> None:
        """Park a table because of an error.

        :param kept: the table was to be resumed, and its messages are stored already.
        :raises SinkError: errors.table.error or evolution.conflict is fail.
        :raises TableError: the table was to be resumed.
        """
        if self._config.errors.table_error == "fail" or self._config.evolution.conflict == "fail":
            raise SinkError(str(error)) from error
        log.error("%s is parked: %s", table, error)
        if not kept:
            self.keep_messages(table, messages, app, batch)
        if self._state.parked().get(table) != str(error):
            self._state.park(table, str(error))
        if kept:
            raise error

    def keep_messages(self, table: str, messages: DataFrame, app: str, batch: int) -> None:
        """Store the messages of a parked table."""
        rows = (
            messages.withColumn("source_table", f.lit(table))
            .withColumn("app", f.lit(app))
            .withColumn("batch", f.lit(batch).cast("bigint"))
            .select(*SCHEMAS["parked"])
        )
        self._state.table("parked").append(rows, f"{app}:{table}:parked", batch)
