"""The position at which a restart is to read, as signals set it.

Such a signal may lie behind the position that it sets: the restart reads it again. Offsets keep
which signals have run, so that it has no effect then.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from typing import Any, Final

from connector.capture.change import Position
from connector.capture.signals.signal import Signal

log = logging.getLogger(__name__)

_KEY: Final = "millrace_position_signals"
_KEPT: Final = 100


class RestartPosition:
    """The position set by the last signal; None until there is one, and after a restart."""

    def __init__(self) -> None:
        self._run: list[str] = []
        self._positions: dict[str, Position] = {}

    @property
    def current(self) -> Position | None:
        """The position that offsets get."""
        found = [self._positions[key] for key in self._run if key in self._positions]
        return found[-1] if found else None

    def has_run(self, signal: Signal) -> bool:
        """Whether a signal has run before, perhaps before a restart."""
        return _key(signal) in self._run

    def set(self, signal: Signal, position: Position) -> None:
        """Set the position."""
        self._run = [*self._run, _key(signal)][-_KEPT:]
        self._positions[_key(signal)] = position

    def to_offset(self) -> dict[str, Any]:
        """Return the key of an offset; none without signals."""
        return {_KEY: json.dumps(self._run, separators=(",", ":"))} if self._run else {}

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Take the signals of an offset; positions that later ones set are void."""
        try:
            self._run = [str(key) for key in json.loads(offset.get(_KEY) or "[]")]
        except (ValueError, TypeError):
            log.warning("The stored list of position signals is damaged: it starts again")
            self._run = []


def _key(signal: Signal) -> str:
    """Return the id of a signal, with a hash of its data: ids may repeat."""
    data = json.dumps(signal.data, sort_keys=True, ensure_ascii=False)
    return f"{signal.id}:{hashlib.sha256(data.encode()).hexdigest()[:16]}"
