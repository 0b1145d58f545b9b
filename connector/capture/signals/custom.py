"""Actions and channels of signals in installed packages."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

from connector.capture.change import Notice
from connector.capture.installed import build_installed, installed_names
from connector.capture.signals.signal import Signal, parse_document
from connector.errors import ConfigError

log = logging.getLogger(__name__)

ACTIONS: Final = "millrace.signal_actions"
CHANNELS: Final = "millrace.signal_channels"
_KEY: Final = "signal.enabled.channels"


class CustomAction(Protocol):
    """Runs the signals of one type, which is the name of its entry point."""

    def run(self, signal: Signal) -> None:
        """Run a signal. Called by the task's thread: streaming waits meanwhile."""


class CustomChannel(Protocol):
    """A channel, which the configuration names by its entry point. Used by the task's thread."""

    def read(self) -> Iterable[Mapping[str, Any]]:
        """Return the signals since the last call: ``id``, ``type`` and ``data``. Does not wait."""

    def close(self) -> None:
        """Release all connections."""


class CustomActions:
    """The actions of installed packages, each built for its first signal."""

    def __init__(self, config: Mapping[str, str]) -> None:
        self._config = config
        self._actions: dict[str, CustomAction] = {}

    def has(self, type_: str) -> bool:
        """Whether there is an action for a type."""
        return type_ in map(str.lower, installed_names(ACTIONS))

    def run(self, signal: Signal) -> Iterator[Notice]:
        """Run a signal. One that fails does not stop the stream; the status shows why."""
        fault = ""
        try:
            self._action(signal.type).run(signal)
        except Exception as error:  # noqa: BLE001 - foreign code
            text = (
                str(error) if isinstance(error, ConfigError) else f"{type(error).__name__}: {error}"
            )
            fault = f"The action of signal {signal.id} failed: {text}"
            log.warning("%s", fault)
        yield Notice(fault, f"signals {signal.type}")

    def _action(self, type_: str) -> CustomAction:
        found = self._actions.get(type_)
        if found is None:
            name = next(one for one in installed_names(ACTIONS) if one.lower() == type_)
            found = build_installed(ACTIONS, "type", name, self._config)
            self._actions[type_] = found
        return found


class InstalledChannel:
    """A `SignalChannel` that reads a custom one."""

    def __init__(self, name: str, config: Mapping[str, str]) -> None:
        """Build the channel.

        :raises ConfigError: it is not installed, or refuses the configuration.
        """
        self.fault = ""
        self._name = name
        self._channel: CustomChannel = build_installed(CHANNELS, _KEY, name, config)

    def read(self) -> list[Signal]:
        """Return the new signals; none while the channel fails."""
        try:
            documents = [json.dumps(dict(one)) for one in self._channel.read()]
        except Exception as error:  # noqa: BLE001 - foreign code
            self.fault = f"channel {self._name}: {type(error).__name__}: {error}"
            return []
        self.fault = ""
        return list(filter(None, map(parse_document, documents)))

    def seek(self, offset: int | None) -> None:
        """Do nothing: there are no offsets."""

    def acknowledge(self) -> None:
        """Do nothing: the channel counts a signal as delivered when it is read."""

    def close(self, offset: int | None) -> None:
        """Close the channel."""
        del offset
        try:
            self._channel.close()
        except Exception as error:  # noqa: BLE001 - foreign code
            log.warning("Channel %s was not closed: %s", self._name, error)


def channel_faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the settings of installed channels, by key."""
    installed = installed_names(CHANNELS)
    for name in filter(None, map(str.strip, config.get(_KEY, "").split(","))):
        if name in installed:
            try:
                InstalledChannel(name, config).close(None)
            except ConfigError as error:
                return {_KEY: str(error)}
    return {}
