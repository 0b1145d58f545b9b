"""What to do at a start: read the schema, the data, or just stream. A table, not code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from connector.errors import ConfigError, PositionLostError, StopError


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of one start. ``mode`` is kept for messages.

    ``whole_log``: nothing is read and there is no offset, so that the whole log is streamed.
    ``on_lost_history``: definitions are read if the schema history is lost. ``in_chunks``: rows are
    read while streaming, as far as tables have keys.
    """

    mode: str
    schema: bool = False
    data: bool = False
    stream: bool = True
    whole_log: bool = False
    on_lost_history: bool = False
    in_chunks: bool = False

    @property
    def snapshot(self) -> bool:
        """Whether anything is read before streaming."""
        return self.schema or self.data


@dataclass(frozen=True, slots=True)
class Mode:
    """A snapshot mode: what it does first, and when the position or the history is lost."""

    schema: bool
    data: bool
    stream: bool
    always: bool = False
    on_lost_position: bool = False
    on_lost_history: bool = False
    needs_offset: bool = False


MODES: Final = {
    "always": Mode(schema=True, data=True, stream=True, always=True),
    "initial": Mode(schema=True, data=True, stream=True),
    "initial_only": Mode(schema=True, data=True, stream=False),
    "no_data": Mode(schema=True, data=False, stream=True),
    "schema_only": Mode(schema=True, data=False, stream=True),
    "never": Mode(schema=False, data=False, stream=True),
    "when_needed": Mode(schema=True, data=True, stream=True, on_lost_position=True),
    "recovery": Mode(schema=True, data=False, stream=True, always=True, needs_offset=True),
    "schema_only_recovery": Mode(
        schema=True, data=False, stream=True, always=True, needs_offset=True
    ),
}


CONFIGURED: Final = "configuration_based"
"""The mode whose `Mode` stands in the configuration."""

CUSTOM: Final = "custom"
"""The mode that an installed package decides on."""

ModeOf = Callable[[bool, bool], Mode]
"""Returns the mode of a start: whether an offset exists, whether it is one of a snapshot."""


def plan_start(
    mode_name: str,
    *,
    has_offset: bool,
    in_snapshot: bool,
    resumable: bool,
    configured: ModeOf | None = None,
    in_chunks: bool = False,
    has_chunks_left: bool = False,
) -> Plan:
    """Decide what a start does.

    :param has_offset: an offset is stored.
    :param configured: what ``configuration_based`` or ``custom`` stands for.
    :param in_snapshot: it says that a snapshot was not completed, so it counts as none.
    :param resumable: the server has everything after it.
    :param in_chunks: a snapshot of rows is read in chunks while the log is streamed.
    :param has_chunks_left: such a snapshot was not completed: it continues, whatever the mode.
    :raises StopError: the mode does not fit what is stored.
    """
    mode = _mode(mode_name, configured, has_offset, in_snapshot)
    complete = has_offset and not in_snapshot
    if mode.needs_offset:
        return _recovery(mode_name, is_complete=complete)
    continues = not (mode.always and (mode.schema or mode.data)) or (in_chunks and has_chunks_left)
    if complete and continues:
        if resumable:
            return Plan(mode_name, stream=mode.stream, on_lost_history=mode.on_lost_history)
        if not mode.on_lost_position:
            raise PositionLostError(
                "The connector is trying to read the log from its stored position, which is no "
                "longer available on the server."
            )
        mode = _mode(mode_name, configured, has_offset=False, in_snapshot=False)
    if mode.schema or mode.data:
        return _snapshot(mode_name, mode, in_chunks=in_chunks and mode.data)
    return _whole_log(mode_name, mode, in_snapshot=in_snapshot)


def _recovery(name: str, *, is_complete: bool) -> Plan:
    """Read the definitions again, for an offset that exists."""
    if not is_complete:
        raise StopError(
            f"snapshot.mode={name} needs the offset of a completed snapshot.",
            "Use snapshot.mode=initial for a first start.",
        )
    return Plan(name, schema=True)


def _whole_log(name: str, mode: Mode, *, in_snapshot: bool) -> Plan:
    """Read the log from its start: the mode reads nothing first."""
    if in_snapshot:
        raise StopError(
            f"The last snapshot was not completed, but snapshot.mode={name} does not take a "
            "snapshot.",
            "Set snapshot.mode=initial or when_needed.",
        )
    return Plan(name, stream=mode.stream, whole_log=True)


def _snapshot(name: str, mode: Mode, *, in_chunks: bool) -> Plan:
    if in_chunks and not mode.stream:
        raise ConfigError(
            "millrace.snapshot.resumable reads rows while changes are streamed, which "
            f"snapshot.mode={name} does not do"
        )
    return Plan(name, mode.schema, mode.data, mode.stream, in_chunks=in_chunks)


def _mode(name: str, configured: ModeOf | None, has_offset: bool, in_snapshot: bool) -> Mode:
    if name in (CONFIGURED, CUSTOM) and configured is not None:
        return configured(has_offset, in_snapshot)
    if name not in MODES:
        raise ConfigError(f"Invalid value {name} for configuration snapshot.mode")
    return MODES[name]
