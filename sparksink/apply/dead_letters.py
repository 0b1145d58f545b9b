"""Dead letters: unusable messages, stored unchanged with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch import TableBatch, TopicBatch
from sparksink.config.keys import SinkConfig
from sparksink.errors import SinkError, TableError
from sparksink.state.sink_state import SinkState
from sparksink.state.system_tables import SCHEMAS

_MESSAGE_ID = ("topic", "partition", "offset")
_HEADERS: Final[Mapping[str, str]] = {
    "__connect.errors.topic": "split_part(topic, '/', 1)",
    "__connect.errors.partition": "partition",
    "__connect.errors.offset": "offset",
    "__connect.errors.exception.message": "reason",
    "millrace.table": "source_table",
}
"""Headers of a copy, with Kafka Connect's names for dead letters → SQL of their values."""


REPLAYS: Final = "replay:"
REPLAY_PREFIX: Final = f"{REPLAYS}dead_letter:"
"""Prefixes of the names of batches that replay stored messages, and those that are dead letters."""


class DeadLetters:
    """Writes dead letters to the table, and copies to the topic if one is set."""

    def __init__(self, state: SinkState, config: SinkConfig) -> None:
        self._state = state
        self._rules = config.errors
        self._topic = config.dlq.topic
        self._source = config.source

    def add(self, part: TopicBatch, batch: TableBatch, table: str) -> dict[str, int]:
        """Store the messages whose changes have a fault; return their number by reason.

        The copies are written first, and again if the batch is repeated.

        :raises TableError: there are more new ones than the limit; nothing is stored then.
        :raises SinkError: there are new ones, and errors.malformed=fail.
        """
        faults = _faults(batch.frames)
        found = {row["reason"]: row["count"] for row in faults.groupBy("reason").count().collect()}
        if not batch.app.startswith(REPLAY_PREFIX):  # the limits are for new ones
            self._check(sum(found.values()), part.size, table)
        if found:
            rows = self.rows(part.messages.join(faults, [*_MESSAGE_ID]), batch, table)
            if self._topic:
                self._copy(rows, self._topic)
            writer = f"{batch.app}:dead_letter"
            self._state.table("dead_letter").append(rows, writer, batch.number)
        return found

    def _check(self, found: int, messages: int | None, table: str) -> None:
        rules = self._rules
        summary = f"{table}: {found} of {messages or found} messages of one batch cannot be used."
        most = rules.max_ratio * messages if messages and rules.max_ratio < 1 else found
        if found and rules.malformed == "fail":
            raise SinkError(
                summary, "The command plan shows the reasons; errors.malformed=fail allows none."
            )
        for is_over, key in (
            (found > rules.max_per_batch, "errors.max.per.batch"),
            (found > most, "errors.max.ratio"),
        ):
            if is_over:
                raise TableError(summary, f"{key} sets the limit; raise it, then run park replay.")

    def rows(self, messages: DataFrame, batch: TableBatch, table: str) -> DataFrame:
        """Return messages with a ``reason`` as rows of the table."""
        return messages.select(
            *_message_columns(messages),
            f.lit(table).alias("source_table"),
            f.lit(batch.number).cast("bigint").alias("batch"),
            f.lit(batch.app).alias("app"),
        ).select(*SCHEMAS["dead_letter"])

    def _copy(self, rows: DataFrame, topic: str) -> None:
        headers = [
            f"struct('{name}' AS key, CAST(CAST({sql} AS STRING) AS BINARY) AS value)"
            for name, sql in _HEADERS.items()
        ]
        copies = rows.selectExpr("key", "value", f"array({', '.join(headers)}) AS headers")
        client = {f"kafka.{key}": value for key, value in self._source.kafka.items()}
        servers = self._source.bootstrap_servers
        writer = copies.write.format("kafka").options(**client).option("topic", topic)
        writer.option("kafka.bootstrap.servers", servers).option("includeHeaders", "true").save()


def _message_columns(messages: DataFrame) -> list[str]:
    made = {"source_table", "batch", "app"}
    return [
        name for name in SCHEMAS["dead_letter"] if name not in made and name in messages.columns
    ]


def _faults(frames: Sequence[DataFrame]) -> DataFrame:
    bad = [
        frame.where("__fault IS NOT NULL").selectExpr(
            "__topic AS topic", "__partition AS partition", "__offset AS offset",
            "__fault AS reason",
        )
        for frame in frames
    ]  # fmt: skip
    return reduce(DataFrame.unionByName, bad)
