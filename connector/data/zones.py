"""Time zones: offsets at a moment or at a wall clock's time, and texts with an offset."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

_OFFSET: Final = re.compile(r"([+-])(\d{2}):(\d{2})(?::(\d{2}))?")
_TEXT: Final = re.compile(r"([^.Z+]*?)(?:\.(\d+))?(Z|[+-]\d{2}:\d{2}(?::\d{2})?)")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)
_LAST: Final = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)


class Zone:
    """A zone such as ``Europe/Berlin``, or an offset such as ``+08:00``.

    :raises ValueError: there is no such zone.
    """

    def __init__(self, name: str) -> None:
        match = _OFFSET.fullmatch(name)
        if match is None and name not in available_timezones():
            raise ValueError(name)
        self._zone: tzinfo = ZoneInfo(name) if match is None else timezone(_offset(match))

    def offset_at(self, seconds: int) -> int:
        """Return the offset in seconds at a time since the epoch."""
        return _seconds(_moment(seconds).astimezone(self._zone))

    def offset_of_clock(self, seconds: int) -> int:
        """Return the offset when a clock in the zone shows the time that UTC has then."""
        return _seconds(_moment(seconds).replace(tzinfo=self._zone))

    def convert(self, text: str) -> str:
        """Return an ISO 8601 text with offset as of this zone.

        As in Debezium, the offset is the one that the zone has at the text's wall clock time.

        :raises ValueError: the text has another form.
        """
        match = _TEXT.fullmatch(text)
        if match is None:
            raise ValueError(text)
        clock = datetime.fromisoformat(match[1])
        offset = _OFFSET.fullmatch(match[3])
        moment = clock - (timedelta() if offset is None else _offset(offset))
        there = clock.replace(tzinfo=self._zone).utcoffset() or timedelta()
        fraction = (match[2] or "").rstrip("0")
        return (
            f"{(moment + there).isoformat(timespec='seconds')}"
            f"{'.' + fraction if fraction else ''}{_offset_text(there)}"
        )


def _offset(match: re.Match[str]) -> timedelta:
    size = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0))
    return -size if match[1] == "-" else size


def _offset_text(offset: timedelta) -> str:
    seconds = offset // timedelta(seconds=1)
    if seconds == 0:
        return "Z"
    minutes, second = divmod(abs(seconds), 60)
    text = f"{'-' if seconds < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{second:02d}" if second else text


def _moment(seconds: int) -> datetime:
    return _EPOCH + timedelta(seconds=min(max(seconds, _FIRST), _LAST))


def _seconds(moment: datetime) -> int:
    return (moment.utcoffset() or timedelta()) // timedelta(seconds=1)
