"""Describes events of the log that cannot be read."""

from __future__ import annotations

import struct
import zlib

from connector.errors import ConversionError
from connector.mysql.binlog.events import EventHeader, Unreadable

MALFORMED = (LookupError, ValueError, struct.error, zlib.error, ConversionError)
HEADER = struct.Struct("<IBIIIH")  # timestamp, type, server id, size, next position, flags
REMEDY = (
    "Report the event and the version of the server, and take a new snapshot; "
    "event.processing.failure.handling.mode=warn skips the event and loses its changes."
)


def unreadable(header: EventHeader, data: bytes, start: int, error: Exception) -> Unreadable:
    """Describe an event that is `MALFORMED`; its body starts at ``start``."""
    return Unreadable(header, malformed_error(data[start - 19 : start], reason_of(error)))


def reason_of(error: Exception) -> str:
    """Return the text of an error for messages: only that of our own errors has no values."""
    return str(error) if isinstance(error, ConversionError) else type(error).__name__


def malformed_error(header: bytes, reason: str) -> ConversionError:
    """Describe an event by its header; the rest may hold values of rows."""
    if len(header) < HEADER.size:
        return ConversionError(f"malformed event in the binlog: {len(header)} bytes", REMEDY)
    _, kind, _, size, next_position, _ = HEADER.unpack(header)
    return ConversionError(
        f"malformed event of type {kind} and {size} bytes before position {next_position} of "
        f"the binlog ({reason})",
        REMEDY,
    )
