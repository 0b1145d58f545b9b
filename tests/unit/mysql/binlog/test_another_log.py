"""Events of a log in which the stored position does not lie, such as another server's."""

from __future__ import annotations

import pytest

from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.gtid import GtidSet
from tests.unit.mysql.binlog.sample_log import LOG, SERVER, translated, values


@pytest.mark.parametrize("event", [4, 0])
def test_events_counted_in_the_log_of_another_server_skip_nothing(
    event: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Its log of the same transaction may hold more or fewer events, at another position."""
    counted = BinlogPosition("other.000009", 9_000, GtidSet.parse(f"{SERVER}:1-4"), event=event)
    with caplog.at_level("INFO"):
        assert [value for value, _ in values(translated(LOG, counted))] == [1, 2, 3, 4, 5, 6]
    assert ("is read again from its start" in caplog.text) == (event > 0)
