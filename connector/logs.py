"""Logging: where lines go, and levels that change while the worker runs.

Users of Connect name Java's packages. Each of these names has a Python logger of its own, so it
can be listed and set, and stands for the packages here that do the same work.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from connector.errors import NotFoundError

TRACE: Final = 5
_LEVELS: Final = {
    "ALL": 1,
    "TRACE": TRACE,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
    "OFF": logging.CRITICAL + 10,
}
_ROOT: Final = "root"
# Java package → what does its work here
_SAME_WORK: Final = {
    "io.debezium": ("connector.mysql", "connector.capture", "connector.debezium"),
    "io.debezium.connector": ("connector.mysql",),
    "io.debezium.transforms": ("connector.transforms",),
    "org.apache.kafka.connect": (
        "connector.worker",
        "connector.task",
        "connector.converters",
        "restapi",
    ),
    "org.apache.kafka.connect.runtime": ("connector.worker", "connector.task"),
    "org.apache.kafka.connect.runtime.rest": ("restapi",),
    "org.apache.kafka.connect.transforms": ("connector.transforms",),
    "org.apache.kafka.clients": ("connector.kafka",),
}
# C0 except the tab, DEL, C1, and the separators of lines and paragraphs
_CONTROLS: Final = [*range(9), *range(10, 32), *range(127, 160), 0x2028, 0x2029]
_ESCAPES: Final = {code: ascii(chr(code))[1:-1] for code in _CONTROLS}
_LINE: Final = "[%(asctime)s,%(msecs)03d] %(levelname)s [%(threadName)s] %(message)s (%(name)s)"


class OneLineFormatter(logging.Formatter):
    """Escapes control characters in messages, so that no value can forge a line or a color.

    Tracebacks keep their lines. ``redact`` removes secrets from the whole text.
    """

    def __init__(self, line: str, date: str | None = None) -> None:
        super().__init__(line, date)
        self.redact: Callable[[str], str] = str

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 — logging's name
        """Return the line of a record."""
        record.message = record.message.translate(_ESCAPES)
        return super().formatMessage(record)

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        return self.redact(super().format(record))


def set_up(level: str) -> None:
    """Send log lines to standard output, from ``level`` on.

    :raises NotFoundError: no such level.
    """
    for name, number in _LEVELS.items():
        logging.addLevelName(number, name)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(OneLineFormatter(_LINE, "%Y-%m-%d %H:%M:%S"))
    logging.basicConfig(level=_number(level), handlers=[handler], force=True)


def hide_secrets(redact: Callable[[str], str]) -> None:
    """Pass all further log text through a function that removes secrets."""
    for handler in logging.root.handlers:
        if isinstance(handler.formatter, OneLineFormatter):
            handler.formatter.redact = redact


def _number(level: str) -> int:
    number = _LEVELS.get(level.upper())
    if number is None:
        raise NotFoundError(f"invalid log level '{level}'.")
    return number


def _text(number: int) -> str:
    """Return the name of a level, or of the next more verbose one."""
    return max(
        (pair for pair in _LEVELS.items() if pair[1] <= number),
        key=lambda pair: pair[1],
        default=("ALL", 1),
    )[0]


@dataclass(frozen=True, slots=True)
class LoggerState:
    """The level of a logger; ``modified`` is when the API changed it, milliseconds since 1970."""

    level: str
    modified: int | None


class LogLevels:
    """The levels of all loggers, to read and to change; ``now`` gives milliseconds since 1970."""

    def __init__(self, now: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._now = now
        self._modified: dict[str, int] = {}

    def all(self) -> dict[str, LoggerState]:
        """Return the loggers by name, sorted; those that are off are left out."""
        states = {name: self._state(name) for name in sorted([_ROOT, *_existing()])}
        return {name: state for name, state in states.items() if state.level != "OFF"}

    def get(self, name: str) -> LoggerState | None:
        """Return one logger, None when there is no such logger; the root's name has any case."""
        name = _canonical(name)
        return self._state(name) if name == _ROOT or name in _existing() else None

    def put(self, name: str, level: str) -> list[str]:
        """Set the level of a logger and of those below it.

        Returns the names of those whose level changed, sorted.

        :raises NotFoundError: no such level.
        """
        number = _number(level)
        name = _canonical(name)
        affected = {name, *(item for item in _existing() if _below(item, name))}
        reached = affected | set(_SAME_WORK.get(name, ()))
        changed = {item for item in reached if _logger(item).getEffectiveLevel() != number}
        moment = self._now()
        for item in reached:
            _logger(item).setLevel(number)
        self._modified |= dict.fromkeys(changed, moment)
        return sorted(changed & affected)

    def _state(self, name: str) -> LoggerState:
        return LoggerState(_text(_logger(name).getEffectiveLevel()), self._modified.get(name))


def _canonical(name: str) -> str:
    return _ROOT if name.lower() == _ROOT else name


def _logger(name: str) -> logging.Logger:
    return logging.getLogger(None if name == _ROOT else name)


def _below(name: str, parent: str) -> bool:
    return parent == _ROOT or name.startswith(parent + ".")


def _existing() -> list[str]:
    """Return the names of the loggers that exist, without mere places in the tree."""
    loggers = logging.root.manager.loggerDict
    return [name for name, logger in loggers.items() if isinstance(logger, logging.Logger)]
