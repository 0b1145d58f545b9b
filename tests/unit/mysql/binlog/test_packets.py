"""Packets of a dump connection that are not as they should be."""

from __future__ import annotations

import pytest

from connector.errors import ConversionError
from connector.mysql.binlog.packets import EventPackets
from tests.unit.mysql.binlog import events_as_bytes as written


def packet(event: bytes) -> bytes:
    body = b"\0" + event
    return len(body).to_bytes(3, "little") + b"\0" + body


@pytest.mark.parametrize("size", range(19))
@pytest.mark.parametrize("following", [b"", packet(written.xid())])
def test_a_packet_too_short_for_an_event_is_refused(size: int, following: bytes) -> None:
    data = packet(written.query("BEGIN")) + packet(written.xid()[:size]) + following
    with pytest.raises(ConversionError, match="malformed event"):
        list(EventPackets(checksums=False).batches(data))
