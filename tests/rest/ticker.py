"""A small real source connector: it counts, and sends each number to a topic as JSON.

Its keys switch faults on, one for each place where a connector can fail or hang.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from confluent_kafka import Producer

from connector.config import REQUIRED, ConfigDef, ConfigKey, ConfigValue, at_least
from connector.data.record import Record
from connector.errors import ConfigError, MillraceError, StopError, trace_of
from connector.plugin import TaskContext
from connector.plugin_table import ROWS, PluginRow
from connector.task.transform_chain import chain

_log = logging.getLogger(__name__)

CLASS = "org.example.TickerConnector"
TASK_CLASS = "org.example.TickerTask"
VERSION = "1.2.3"

TICKER_ROWS = (
    *ROWS,
    PluginRow("source", CLASS, VERSION, "tests.rest.ticker:TickerConnector"),
    PluginRow("transformation", "org.example.Prefix", "1.0", "tests.rest.ticker:Prefix"),
    PluginRow("predicate", "org.example.NameIs", "1.0", "tests.rest.ticker:NameIs"),
)


class Prefix:
    """A transform that puts a word before the topic."""

    config_def = ConfigDef(
        [
            ConfigKey("word", "STRING", REQUIRED, "HIGH", "The word."),
            ConfigKey("times", "INT", 1, "LOW", "How often.", validator=at_least(1)),
        ]
    )

    def __init__(self, config: Mapping[str, str]) -> None:
        values = self.config_def.parse(config)
        if values["word"] == "forbidden":
            raise ConfigError("The word is forbidden.")
        self.text = values["word"] * values["times"]

    def apply(self, record: Record) -> Record:
        return replace(record, topic=self.text + record.topic)


class NameIs:
    """A predicate on the topic's name."""

    config_def = ConfigDef([ConfigKey("name", "STRING", REQUIRED, "HIGH", "The name.")])

    def __init__(self, config: Mapping[str, str]) -> None:
        self.name: str = self.config_def.parse(config)["name"]

    def test(self, record: Record) -> bool:
        return record.topic == self.name


class TickerConnector:
    class_name = CLASS
    task_class = TASK_CLASS
    version = VERSION
    passed_on = ("driver.",)
    config_def = ConfigDef(
        [
            ConfigKey("topic", "STRING", REQUIRED, "HIGH", "Topic.", "Ticker", 1, "LONG", "Topic"),
            ConfigKey("interval.ms", "INT", 10, "LOW", "Pause.", "Ticker", 2),
            ConfigKey("messages", "LONG", -1, "LOW", "How many; -1 is no end.", "Ticker", 3),
            ConfigKey("password", "PASSWORD", None, "LOW", "A secret.", "Ticker", 4),
            ConfigKey("fail.after", "LONG", -1, "LOW", "Fail after this number.", "Faults", 1),
            ConfigKey("create.error", "BOOLEAN", False, "LOW", "create_task fails.", "Faults", 2),
            ConfigKey("start.error", "BOOLEAN", False, "LOW", "start reports it.", "Faults", 3),
            ConfigKey("stop.error", "BOOLEAN", False, "LOW", "stop raises.", "Faults", 4),
            ConfigKey("validate.error", "BOOLEAN", False, "LOW", "validate raises.", "Faults", 5),
            ConfigKey("validate.block.ms", "LONG", 0, "LOW", "validate blocks.", "Faults", 6),
            ConfigKey("create.block.ms", "LONG", 0, "LOW", "create_task blocks.", "Faults", 7),
            ConfigKey("stop.block.ms", "LONG", 0, "LOW", "The thread hangs.", "Faults", 8),
            ConfigKey("password.is", "STRING", None, "LOW", "Checked.", "Faults", 9),
        ]
    )

    def validate(self, config: Mapping[str, str]) -> dict[str, ConfigValue]:
        report = self.config_def.check(config)
        if _on(config, "validate.error"):
            raise RuntimeError("validate fails")
        time.sleep(int(config.get("validate.block.ms", "0")) / 1000)
        expected, given = config.get("password.is"), config.get("password")
        if expected is not None and expected != given:
            report["topic"].errors.append(f"The password {given} is wrong.")
        return report

    def claims(self, _: Mapping[str, str]) -> dict[str, str]:
        return {}

    def create_task(self, context: TaskContext) -> TickerTask:
        if _on(context.config, "create.error"):
            raise StopError("create_task fails", "Unset create.error.")
        time.sleep(int(context.config.get("create.block.ms", "0")) / 1000)
        return TickerTask(context)


def _on(config: Mapping[str, str], key: str) -> bool:
    return config.get(key, "false") == "true"


class TickerTask:
    """Commits the number of the last acknowledged record under ``{"ticker": <connector>}``."""

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self._partition = {"ticker": context.connector}
        self._stopping = threading.Event()
        self._running = threading.Event()
        self._running.set()
        name = f"task-{context.connector}-{context.task}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        if _on(self._context.config, "start.error"):
            self._context.report("FAILED", "StopError: start fails\nand more")
            return
        self._thread.start()

    def pause(self) -> None:
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    def stop(self, timeout: float) -> bool:
        if _on(self._context.config, "stop.error"):
            self._stopping.set()
            raise StopError("stop fails")
        self._stopping.set()
        self._running.set()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._tick()
        except MillraceError as error:
            self._context.report("FAILED", trace_of(error))

    def _tick(self) -> None:
        config = self._context.config
        producer = Producer(dict(self._context.producer))
        topic = self._topic(config["topic"])
        self._context.topics.ensure(topic)
        last = int(config.get("messages", "-1"))
        number = self._committed()
        self._context.report("RUNNING", None)
        while not self._stopping.is_set():
            if not self._running.is_set():
                self._commit(producer, number, topic)
                self._context.report("PAUSED", None)
                self._running.wait()
                if not self._stopping.is_set():
                    self._context.report("RUNNING", None)
                continue
            if number == int(config.get("fail.after", "-1")):
                self._commit(producer, number, topic)
                raise StopError(f"failed after {number}", "Take away fail.after.")
            if number != last:
                number += 1
                value = self._context.converters.value.from_connect(topic, None, {"n": number})
                producer.produce(topic, value)
                self._commit(producer, number, topic)
            self._stopping.wait(int(config.get("interval.ms", "10")) / 1000)
        time.sleep(int(config.get("stop.block.ms", "0")) / 1000)
        self._commit(producer, number, topic)

    def _topic(self, topic: str) -> str:
        record: Record | None = Record(topic, None, None, None, None, None)
        for transform in chain(self._context.transforms):
            record = record and transform(record)
        return record.topic if record else topic

    def _committed(self) -> int:
        offset = self._context.offsets.load(self._context.connector, self._partition)
        return 0 if offset is None else int(offset["n"] or 0)

    def _commit(self, producer: Producer, number: int, topic: str) -> None:
        producer.flush(10)
        offset: dict[str, Any] = {"n": number}
        self._context.offsets.save(self._context.connector, self._partition, offset)
        if number:
            self._context.topics_used([topic])


def numbers(values: list[bytes | None]) -> list[int]:
    """Return the numbers that a ticker without schemas sent."""
    return [json.loads(value)["n"] for value in values if value is not None]
