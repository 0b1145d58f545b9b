"""A source connector that reads nothing: it has states, and faults to switch on."""

from __future__ import annotations

import time
from collections.abc import Mapping

from connector.config import REQUIRED, ConfigDef, ConfigKey, ConfigValue, at_least
from connector.errors import ConfigError, StopError
from connector.plugins import ROWS, Row
from connector.runtime.plugin import TaskContext

CLASS = "org.example.IdleConnector"
TASK_CLASS = "org.example.IdleTask"


class IdleConnector:
    class_name = CLASS
    task_class = TASK_CLASS
    version = "1.0"
    passed_on = ("driver.",)
    config_def = ConfigDef(
        [
            ConfigKey("limit", "INT", 5, "HIGH", "A number.", "Idle", 1, validator=at_least(1)),
            ConfigKey("user", "STRING", None, "LOW", "A name.", "Idle", 2),
            ConfigKey("password", "PASSWORD", None, "LOW", "A secret.", "Idle", 3),
            ConfigKey("fault", "STRING", "", "LOW", "Which fault to show.", "Idle", 4),
            ConfigKey("internal", "STRING", "", "LOW", "Not listed.", "Idle", 5, internal=True),
        ]
    )

    def validate(self, config: Mapping[str, str]) -> dict[str, ConfigValue]:
        fault = config.get("fault")
        if fault == "validate hangs":
            time.sleep(1)
        if fault == "validate raises":
            raise ValueError("no luck")
        report = self.config_def.check(config)
        if fault == "login":
            text = f"Access denied for {config['user']} with {config['password']}"
            report["user"].errors.append(text)
            report["limit"].errors.append(text)
        return report

    def claims(self, config: Mapping[str, str]) -> dict[str, str]:
        return {"user": config["user"]} if "user" in config else {}

    def create_task(self, context: TaskContext) -> IdleTask:
        if context.config.get("fault") == "create raises":
            raise StopError("cannot be created", "Unset fault.")
        return IdleTask(context)


class IdleTask:
    """Reports each state at once, from the thread that asks for it."""

    def __init__(self, context: TaskContext) -> None:
        self.context = context
        self._fault = context.config.get("fault")

    def start(self) -> None:
        if self._fault == "start hangs":
            time.sleep(1)
        if self._fault == "fails":
            self.context.report("FAILED", "StopError: it fails\n  somewhere")
        elif self._fault == "fails with password":
            self.context.report("FAILED", f"no topic {self.context.config['password']}")
        else:
            self.context.report("RUNNING", None)

    def pause(self) -> None:
        self.context.report("PAUSED", None)

    def resume(self) -> None:
        self.context.report("RUNNING", None)

    def stop(self, timeout: float) -> bool:
        if self._fault == "stop hangs":
            time.sleep(timeout)
            return False
        if self._fault == "stop raises":
            raise RuntimeError("no end")
        self.context.report("RUNNING", None)  # too late: must not count
        return True


class Word:
    """A transform or predicate with one key."""

    config_def = ConfigDef([ConfigKey("word", "STRING", REQUIRED, "HIGH", "The word.")])

    def __init__(self, config: Mapping[str, str]) -> None:
        self.word = self.config_def.parse(config)["word"]
        if self.word == "forbidden":
            raise ConfigError("The word is forbidden.")


HERE = "tests.unit.runtime.idle"
IDLE_ROWS = (
    *ROWS,
    Row("source", CLASS, "1.0", f"{HERE}:IdleConnector"),
    Row("transformation", "org.example.Word$Key", "2.0", f"{HERE}:Word"),
    Row("transformation", "org.example.Word$Value", "2.0", f"{HERE}:Word"),
    Row("predicate", "org.example.WordPredicate", "3.0", f"{HERE}:Word"),
)
