"""Frames of Kafka's messages, read in Python (``source.kind: kafka_py``).

The start offsets of a stream are stored beside its checkpoint before it starts: if the first batch
is interrupted, Spark requests them again.
"""

from __future__ import annotations

import json
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from sparksink.config.offsets import TIMESTAMP_PREFIX, millis
from sparksink.config.source import Source
from sparksink.errors import SinkError
from sparksink.files import Files
from sparksink.source import kafka_py
from sparksink.source.python_source import CLIENT, KafkaPy
from sparksink.source.ranges import offsets_from_json, offsets_to_json

START_OFFSETS_FILE: Final = "kafka_py.json"
"""The file beside a checkpoint with the start offsets of its stream."""

_WORDS: Final = {"earliest": -2, "latest": -1}
"""Words of a configuration → the offsets with the same meaning."""


class PythonKafka:
    """Creates frames of a configured source, each read by ``tasks`` tasks."""

    def __init__(self, spark: SparkSession, source: Source, *, headers: bool, tasks: int) -> None:
        self._spark = spark
        self._source = source
        self._headers = headers
        self._tasks = tasks
        self._settings = {"bootstrap.servers": source.bootstrap_servers, **source.kafka}
        spark.dataSource.register(KafkaPy)

    def stream(self, pattern: str, checkpoint: str, until: str | None) -> DataFrame:
        """Return the stream of the topics, from the configured start on."""
        reader = self._spark.readStream.format(KafkaPy.name()).options(**self._options(pattern))
        if until is not None:
            reader = reader.option("ends", until)
        return reader.option("starts", self._start_offsets(pattern, checkpoint)).load()

    def between(self, pattern: str, start: str, end: str, *, fails: bool = True) -> DataFrame:
        """Return the present messages between start and end; ``fails`` if some are gone."""
        starts, ends = self._resolve(pattern, start), self._resolve(pattern, end)
        reader = self._spark.read.format(KafkaPy.name()).options(**self._options(pattern))
        fixed = {"starts": starts, "ends": ends, "fails": str(fails).lower()}
        return reader.options(**fixed).load()

    def ends(self, pattern: str) -> str:
        """Return the present end offsets as JSON."""
        return self._resolve(pattern, "latest")

    def offsets(self, pattern: str) -> dict[str, dict[int, tuple[int, int]]]:
        """Return the matching topics with the offsets of the first message and after the last."""
        client = self._client()
        partitions = client.partitions(pattern)
        starts, ends = (
            client.offsets(partitions, spec) for spec in (kafka_py.EARLIEST, kafka_py.LATEST)
        )
        found: dict[str, dict[int, tuple[int, int]]] = {}
        for one in partitions:
            found.setdefault(one.topic, {})[one.number] = (starts[one], ends[one])
        return found

    def _client(self) -> kafka_py.Client:
        return kafka_py.Client(self._settings)

    def _options(self, pattern: str) -> dict[str, str]:
        return {
            **{f"{CLIENT}{key}": value for key, value in self._settings.items()},
            "pattern": pattern,
            "tasks": str(self._tasks),
            "most": str(self._source.max_offsets_per_trigger),
            "headers": str(self._headers).lower(),
            "fails": str(self._source.on_data_loss == "fail").lower(),
        }

    def _start_offsets(self, pattern: str, checkpoint: str) -> str:
        """Return the start offsets of a checkpoint's stream; those of a new one are stored."""
        files, path = Files(self._spark), f"{checkpoint.rstrip('/')}/{START_OFFSETS_FILE}"
        offsets = files.read(path) if checkpoint else None
        if offsets is None:
            offsets = self._resolve(pattern, self._source.starting_offsets)
            if checkpoint:
                files.replace(path, offsets)
        return offsets

    def _resolve(self, pattern: str, bound: str) -> str:
        """Resolve a start or end to offsets, as JSON.

        :raises SinkError: it does not name every partition, or some that do not exist.
        """
        client = self._client()
        partitions = client.partitions(pattern)
        if bound.startswith(TIMESTAMP_PREFIX):
            spec = kafka_py.offset_at(millis(bound.removeprefix(TIMESTAMP_PREFIX)))
            found = client.offsets(partitions, spec)
        elif bound in _WORDS:
            found = dict.fromkeys(partitions, _WORDS[bound])
        else:
            found = offsets_from_json(json.loads(bound))
            if odd := sorted(found.keys() ^ set(partitions)):
                raise SinkError(
                    f"Offsets must name every existing partition and no other: see"
                    f" {odd[0].topic}-{odd[0].number}."
                )
        for number, spec in ((-2, kafka_py.EARLIEST), (-1, kafka_py.LATEST)):
            found |= client.offsets([one for one in found if found[one] == number], spec)
        return json.dumps(offsets_to_json(found))
