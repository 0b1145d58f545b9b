"""A connector that is created while one of its name is being deleted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from connector.worker.storage import LogEntry
from connector.worker.storage.memory import MemoryLog
from tests.fixtures.idle_worker import WorkerLogs
from tests.unit.worker.herder_states import IDLE

EXPECTED = b"millrace-offset-of-c"


class WatchedLog(MemoryLog):
    """Calls ``removing`` before the note is removed that a connector has an offset."""

    removing: Callable[[], None] = staticmethod(lambda: None)

    def write(self, entries: Sequence[LogEntry]) -> None:
        if (EXPECTED, None) in entries and EXPECTED in self.entries:
            self.removing()
        super().write(entries)


def test_a_new_connector_waits_for_the_end_of_the_deletion() -> None:
    """Otherwise the deletion removes what the new one stores about its offset."""
    log = WatchedLog()
    herder = WorkerLogs(configs=log).herder(timeout=60)
    herder.create("c", {**IDLE, "fault": "stop stores an offset"})
    creation = threading.Thread(target=lambda: herder.create("c", IDLE))
    waited: list[bool] = []

    def create_meanwhile() -> None:
        creation.start()
        creation.join(1)
        waited.append(creation.is_alive())

    log.removing = create_meanwhile
    herder.delete("c")
    creation.join(60)
    assert waited == [True]
    assert herder.answers.names() == ["c"]
