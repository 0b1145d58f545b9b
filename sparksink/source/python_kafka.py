"""Frames of what is in Kafka, read in Python (``source.kind: kafka_py``).

Where a stream begins is noted beside its checkpoint before it is started: Spark would ask for it
again if the first batch is cut short.
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

NOTED: Final = "kafka_py.json"
"""The file beside a checkpoint that says where its stream began."""

_WORDS: Final = {"earliest": -2, "latest": -1}
"""Words of a configuration → the offsets that mean the same."""


class PythonKafka:
    """Makes frames of a configured source; ``tasks`` read what is read."""

    def __init__(self, spark: SparkSession, source: Source, *, headers: bool, tasks: int) -> None:
        self._spark = spark
        self._source = source
        self._headers = headers
        self._tasks = tasks
        self._settings = {"bootstrap.servers": source.bootstrap_servers, **source.kafka}
        spark.dataSource.register(KafkaPy)

    def stream(self, pattern: str, checkpoint: str, until: str | None) -> DataFrame:
        """Return what comes to the topics, from the bound of the configuration on."""
        reader = self._spark.readStream.format(KafkaPy.name()).options(**self._options(pattern))
        if until is not None:
            reader = reader.option("ends", until)
        return reader.option("starts", self._beginning(pattern, checkpoint)).load()

    def between(self, pattern: str, start: str, end: str, *, fails: bool = True) -> DataFrame:
        """Return what is there now between two bounds; ``fails`` if some of it is gone."""
        starts, ends = self._resolved(pattern, start), self._resolved(pattern, end)
        reader = self._spark.read.format(KafkaPy.name()).options(**self._options(pattern))
        fixed = {"starts": starts, "ends": ends, "fails": str(fails).lower()}
        return reader.options(**fixed).load()

    def ends(self, pattern: str) -> str:
        """Return where the partitions end now, as JSON."""
        return self._resolved(pattern, "latest")

    def offsets(self, pattern: str) -> dict[str, dict[int, tuple[int, int]]]:
        """Return the topics that match, with their first offsets and those after the last."""
        client = self._client()
        places = client.partitions(pattern)
        starts, ends = (client.offsets(places, of) for of in (kafka_py.EARLIEST, kafka_py.LATEST))
        found: dict[str, dict[int, tuple[int, int]]] = {}
        for place in places:
            found.setdefault(place.topic, {})[place.partition] = (starts[place], ends[place])
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

    def _beginning(self, pattern: str, checkpoint: str) -> str:
        """Return where the stream of a checkpoint begins, and note it if it is a new one."""
        files, place = Files(self._spark), f"{checkpoint.rstrip('/')}/{NOTED}"
        noted = files.read(place) if checkpoint else None
        if noted is None:
            noted = self._resolved(pattern, self._source.starting_offsets)
            if checkpoint:
                files.replace(place, noted)
        return noted

    def _resolved(self, pattern: str, bound: str) -> str:
        """Return a bound as offsets.

        :raises SinkError: it does not name every partition, or some that are not there.
        """
        client = self._client()
        places = client.partitions(pattern)
        if bound.startswith(TIMESTAMP_PREFIX):
            of = kafka_py.offset_at(millis(bound.removeprefix(TIMESTAMP_PREFIX)))
            found = client.offsets(places, of)
        elif bound in _WORDS:
            found = dict.fromkeys(places, _WORDS[bound])
        else:
            found = offsets_from_json(json.loads(bound))
            if odd := sorted(found.keys() ^ set(places)):
                raise SinkError(
                    f"Offsets name every partition that is there and no other: see"
                    f" {odd[0].topic}-{odd[0].partition}."
                )
        for number, of in ((-2, kafka_py.EARLIEST), (-1, kafka_py.LATEST)):
            found |= client.offsets([one for one in found if found[one] == number], of)
        return json.dumps(offsets_to_json(found))
