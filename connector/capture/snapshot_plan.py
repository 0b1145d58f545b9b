"""What to do at a start: read the schema, the data, or just stream. A table, not code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from connector.errors import ConfigError, PositionLostError, StopError


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of one start. ``mode`` is kept for messages."""

    mode: str
    schema: bool = False
    data: bool = False
    stream: bool = True

    @property
    def snapshot(self) -> bool:
        """Whether anything is read before streaming."""
        return self.schema or self.data


@dataclass(frozen=True, slots=True)
class Mode:
    """A snapshot mode: what it does first, and when a stored offset is lost on the server."""

    schema: bool
    data: bool
    stream: bool
    always: bool = False
    on_lost_position: bool = False
    needs_offset: bool = False


MODES: Final = {
    "always": Mode(schema=True, data=True, stream=True, always=True),
    "initial": Mode(schema=True, data=True, stream=True),
    "initial_only": Mode(schema=True, data=True, stream=False),
    "no_data": Mode(schema=True, data=False, stream=True),
    "schema_only": Mode(schema=True, data=False, stream=True),
    "when_needed": Mode(schema=True, data=True, stream=True, on_lost_position=True),
    "recovery": Mode(schema=True, data=False, stream=True, always=True, needs_offset=True),
    "schema_only_recovery": Mode(
        schema=True, data=False, stream=True, always=True, needs_offset=True
    ),
}


CONFIGURED: Final = "configuration_based"
"""The mode whose `Mode` stands in the configuration."""


def plan_start(
    mode_name: str,
    *,
    has_offset: bool,
    in_snapshot: bool,
    resumable: bool,
    configured: Mode | None = None,
) -> Plan:
    """Decide what a start does.

    :param has_offset: an offset is stored.
    :param configured: what ``configuration_based`` stands for.
    :param in_snapshot: it says that a snapshot was not completed, so it counts as none.
    :param resumable: the server has everything after it.
    :raises StopError: the mode does not fit what is stored.
    """
    mode = configured if mode_name == CONFIGURED else MODES.get(mode_name)
    if mode is None:
        raise ConfigError(f"Invalid value {mode_name} for configuration snapshot.mode")
    complete = has_offset and not in_snapshot
    if mode.needs_offset:
        if not complete:
            raise StopError(
                f"snapshot.mode={mode_name} needs the offset of a completed snapshot.",
                "Use snapshot.mode=initial for a first start.",
            )
        return Plan(mode_name, schema=True)
    if not has_offset and not (mode.schema or mode.data):
        raise StopError(
            f"snapshot.mode={mode_name} reads nothing, and there is no offset to stream from.",
            f"Set snapshot.mode.{CONFIGURED.replace('_', '.')}.snapshot.schema=true.",
        )
    if complete and not (mode.always and (mode.schema or mode.data)):
        if resumable:
            return Plan(mode_name, stream=mode.stream)
        if not mode.on_lost_position:
            raise PositionLostError(
                "The connector is trying to read the log from its stored position, which is no "
                "longer available on the server."
            )
    return Plan(mode_name, mode.schema, mode.data, mode.stream)
