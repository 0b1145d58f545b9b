"""Everything that the sink raises on purpose; each class has the exit status of the command.

SinkError                 1
|__ ConfigError           2   a key, a value or a file of the configuration is wrong
|__ TableError            3   one table cannot go on: it is parked, the others are not touched
|__ DataLossError         4   the topics no longer hold what has not been read yet
|__ LeaseError            5   another job writes these tables
"""

from __future__ import annotations

from typing import ClassVar


class SinkError(Exception):
    """Base of all errors here; the message names the cause, ``remedy`` what to do."""

    status: ClassVar[int] = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy

    def __str__(self) -> str:
        """Return cause and remedy as one text."""
        return " ".join(filter(None, (super().__str__(), self.remedy)))


class ConfigError(SinkError):
    """A configuration cannot be used; the message names the key."""

    status = 2


class TableError(SinkError):
    """What arrived for one table cannot be applied to it."""

    status = 3


class DataLossError(SinkError):
    """Messages were removed from a topic before they were read."""

    status = 4


class LeaseError(SinkError):
    """Another job holds the lease of these tables."""

    status = 5
