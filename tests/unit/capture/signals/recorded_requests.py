"""A stream that records what signals request of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from connector.capture.change import Change, Notice, RowChanges
from connector.capture.signals.table_changes import TableChangesRequest
from connector.errors import ConfigError
from tests.unit.capture.incremental.simulated import At


class Stream:
    """Records the requests; a position is the number in the data."""

    def __init__(self) -> None:
        self.requests: list[TableChangesRequest] = []

    def redefine(self, request: TableChangesRequest, event: RowChanges | None) -> Iterator[Change]:
        assert event is not None
        self.requests.append(request)
        yield Notice(f"redefined in row {event.first_row}")

    def restart_position(self, data: Mapping[str, Any]) -> At:
        if "n" not in data:
            raise ConfigError("there is no n")
        return At(data["n"])
