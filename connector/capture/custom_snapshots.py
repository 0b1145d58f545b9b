"""Snapshot modes, queries and locks of installed packages: ``custom``, and the key of its name.

The methods are those of Debezium's Snapshotter, SnapshotQuery and SnapshotLock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from connector.capture.installed import build_installed
from connector.capture.snapshot_plan import CUSTOM, Mode, ModeOf
from connector.errors import ConfigError


class CustomMode(Protocol):
    """Decides what a start does. Used by the task's thread."""

    def should_snapshot_data(self, *, offset_exists: bool, snapshot_in_progress: bool) -> bool:
        """Whether rows are read."""

    def should_snapshot_schema(self, *, offset_exists: bool, snapshot_in_progress: bool) -> bool:
        """Whether definitions are read."""

    def should_stream(self) -> bool:
        """Whether the log is streamed afterwards."""

    def should_snapshot_on_schema_error(self) -> bool:
        """Whether definitions are read again if the schema history is lost."""

    def should_snapshot_on_data_error(self) -> bool:
        """Whether a snapshot is taken if the stored position is lost."""


class CustomQuery(Protocol):
    """Writes the SELECTs of a snapshot. Used by one thread at a time."""

    def select(self, table: str, columns: Sequence[str]) -> str | None:
        """Return the SELECT for a table, None to read no rows of it.

        :param columns: the names of its captured columns, quoted.
        """


class CustomLock(Protocol):
    """Locks the tables of a snapshot until their rows are read."""

    def lock(self, timeout: float, tables: Sequence[str]) -> str | None:
        """Return the statement that locks, None to lock nothing.

        :param timeout: ``snapshot.lock.timeout.ms`` in seconds.
        :param tables: the names of the captured tables, quoted.
        """

    def unlock(self) -> str:
        """Return the statement that releases the lock."""


@dataclass(frozen=True, slots=True)
class _Extension:
    group: str
    key: str

    @property
    def name_key(self) -> str:
        return f"{self.key}.custom.name"

    def build(self, config: Mapping[str, str]) -> Any:
        """Build what the configuration names; None if the key is not ``custom``."""
        if config.get(self.key, "").strip().lower() != CUSTOM:
            return None
        name = config.get(self.name_key, "").strip()
        if not name:
            raise ConfigError(f"The '{self.name_key}' value is invalid: A value is required")
        return build_installed(self.group, self.name_key, name, config)


_MODE: Final = _Extension("millrace.snapshot_modes", "snapshot.mode")
_QUERY: Final = _Extension("millrace.snapshot_queries", "snapshot.query.mode")
_LOCK: Final = _Extension("millrace.snapshot_locks", "snapshot.locking.mode")


def custom_query(config: Mapping[str, str]) -> CustomQuery | None:
    """Build the query of ``snapshot.query.mode=custom``.

    :raises ConfigError: it is not installed, or refuses the configuration.
    """
    return cast("CustomQuery | None", _QUERY.build(config))


def custom_lock(config: Mapping[str, str]) -> CustomLock | None:
    """Build the lock of ``snapshot.locking.mode=custom``; raises as `custom_query` does."""
    return cast("CustomLock | None", _LOCK.build(config))


def custom_mode(config: Mapping[str, str]) -> ModeOf | None:
    """Build the mode of ``snapshot.mode=custom``; raises as `custom_query` does."""
    custom: CustomMode | None = _MODE.build(config)
    if custom is None:
        return None

    def mode(has_offset: bool, in_snapshot: bool) -> Mode:
        state = {"offset_exists": has_offset, "snapshot_in_progress": in_snapshot}
        return Mode(
            schema=custom.should_snapshot_schema(**state),
            data=custom.should_snapshot_data(**state),
            stream=custom.should_stream(),
            always=True,
            on_lost_position=custom.should_snapshot_on_data_error(),
            on_lost_history=custom.should_snapshot_on_schema_error(),
        )

    return mode


def custom_faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the custom modes, by key."""
    found = {}
    for extension in (_MODE, _QUERY, _LOCK):
        try:
            extension.build(config)
        except ConfigError as error:
            found[extension.name_key] = str(error)
    return found
