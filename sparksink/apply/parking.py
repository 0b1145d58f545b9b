"""Parks tables that cannot continue, and stores their messages until they are resumed."""

from __future__ import annotations

import logging

from pyspark.sql import functions as f

from sparksink.apply.batch import TopicBatch
from sparksink.apply.dead_letters import REPLAY_PREFIX
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
        self, table: str, error: TableError, part: TopicBatch | None, *, resumed: bool
    ) -> None:
        """Park a table because of an error.

        :param part: its messages that were not applied.
        :param resumed: the table was to be resumed, and its messages are stored already.
        :raises SinkError: errors.table.error or evolution.conflict is fail.
        :raises TableError: the table was to be resumed.
        """
        if self._config.errors.table_error == "fail" or self._config.evolution.conflict == "fail":
            raise SinkError(str(error)) from error
        log.error("%s is parked: %s", table, error)
        if part is not None and not resumed:
            self.keep_messages(table, part)
        if self._state.parked_tables().get(table) != str(error):
            self._state.park(table, str(error))
        if resumed:
            raise error

    def keep_messages(self, table: str, part: TopicBatch) -> None:
        """Store the messages of a parked table; replayed dead letters remain dead letters.

        They are older than messages that were applied, and parked messages must be newer.
        """
        if part.app.startswith(REPLAY_PREFIX):
            return
        rows = (
            part.messages.withColumn("source_table", f.lit(table))
            .withColumn("app", f.lit(part.app))
            .withColumn("batch", f.lit(part.number).cast("bigint"))
            .select(*SCHEMAS["parked"])
        )
        writer = f"{part.app}:{table}:parked"
        self._state.table("parked").append(rows, writer, part.number)
