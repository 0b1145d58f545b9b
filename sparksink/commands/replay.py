"""Replays the messages of parked tables, and dead letters.

The order does not matter, as every change has its position. The batch is named by what it replays,
so that a replay that is repeated after a crash adds nothing twice, and one of messages that were
repaired in between adds them.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from typing import Final

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as f

from sparksink.commands.read_progress import stored_progress
from sparksink.sink import Sink
from sparksink.source.routes import Routes
from sparksink.sql import string_literal

_MESSAGE: Final = ["topic", "partition", "offset", "timestamp", "key", "value", "position"]
_CONTENT: Final = (
    f"struct(count(*) AS messages, bit_xor(xxhash64({', '.join(_MESSAGE)})) AS hash) AS content"
)
"""What differs if stored messages were repaired."""


def unique_batch_name(what: str) -> str:
    """Return a unique name for a batch."""
    return f"{what}:{uuid.uuid4().hex}"


def tables_with_messages(sink: Sink) -> list[str]:
    """Return the tables that are parked or have stored messages, as after an interrupted replay."""
    kept = sink.state.table("parked").read().select("source_table").distinct().collect()
    return sorted({*sink.state.parked_tables(), *(row["source_table"] for row in kept)})


def replay_parked(sink: Sink, table: str) -> int:
    """Resume a table; return how many messages were stored.

    It stays parked, with its messages, until all of them are applied: after a crash the replay is
    repeated.

    :raises TableError: it cannot continue and stays parked.
    """
    kept = sink.state.table("parked").read().where(f.col("source_table") == table)
    count = _apply_again(
        sink, kept, "parked", f"source_table = {string_literal(table)}", resumes=table
    )
    if table in sink.state.parked_tables():
        sink.state.unpark(table)
    return count


def replay_dead_letters(sink: Sink) -> int:
    """Replay all dead letters; those that are still unusable stay dead letters.

    Those of parked tables stay until the tables are resumed.
    """
    kept = sink.state.table("dead_letter").read()
    return _apply_again(sink, kept, "dead_letter", "true", whole=False)


def count_dead_letters(sink: Sink) -> Sequence[Row]:
    """Return the numbers of dead letters: ``source_table, reason, count``."""
    kept = sink.state.table("dead_letter").read()
    return kept.groupBy("source_table", "reason").count().orderBy("source_table").collect()


def _apply_again(
    sink: Sink, kept: DataFrame, source: str, which: str, *, whole: bool = True, resumes: str = ""
) -> int:
    batches = kept.groupBy("app", "batch").agg(f.expr(_CONTENT)).orderBy("app", "batch").collect()
    if not batches:
        return 0
    names = [tuple(row) for row in batches]
    app = f"replay:{source}:{hashlib.sha256(repr(names).encode()).hexdigest()[:16]}"
    # After the loss of a checkpoint some are stored twice.
    messages = kept.select(*_MESSAGE).dropDuplicates(_MESSAGE[:4]).localCheckpoint()
    progress = stored_progress(sink)
    sink.batches.apply(messages, app, 0, cut=True, progress=progress, whole=whole, resumes=resumes)
    waiting = [] if resumes else _parked_topics(sink, messages)
    apps = ", ".join(string_literal(given) for given in sorted({given for given, *_ in names}))
    last = max(number for _, number, *_ in names)
    replayed = f"{which} AND app IN ({apps}) AND batch <= {last}"
    if waiting:
        topics = ", ".join(map(string_literal, waiting))
        replayed = f"{replayed} AND topic NOT IN ({topics})"
    sink.state.table(source).run(f"DELETE FROM {{table}} WHERE {replayed}")  # noqa: S608 - escaped
    return messages.where(~f.col("topic").isin(waiting)).count()


def _parked_topics(sink: Sink, messages: DataFrame) -> list[str]:
    """Return the topics of messages whose tables are parked."""
    topics = [row["topic"] for row in messages.select("topic").distinct().collect()]
    routes, parked = Routes(sink.config), sink.state.parked_tables()
    return [topic for topic in sorted(topics) if routes.route(topic).table in parked]
