"""A capture whose changes the test itself takes, of servers among which it fails over."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, cast

from connector.capture.backoff import Backoff
from connector.capture.change import Change, Progress, RowChanges, Waiting
from connector.capture.engine import Engine, EngineOptions
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tests.fixtures.worker import wait_for
from tools.stack import DatabaseServer


class Following:
    """A capture of ``shop`` in a thread; ``offset`` is the last one between transactions.

    ``ids`` are the keys of its rows. Several servers are those of ``database.hostname``.
    """

    def __init__(
        self,
        servers: Sequence[DatabaseServer],
        offset: dict[str, Any] | None = None,
        **more: str,
    ) -> None:
        hosts = ", ".join(f"127.0.0.1:{one.port}" for one in servers)
        database = FreshDatabase("shop", servers[0], cast("Any", None))
        self.source = source(database, **{"database__hostname": hosts, **more})
        self.ids: list[int] = []
        self.reasons: list[str] = []
        self.offset = dict(offset or {})
        self.error: BaseException | None = None
        self._ended = threading.Event()
        options = EngineOptions(backoff=Backoff(longest=0.5))
        changes = Engine(self.source, options).changes(offset)
        self._thread = threading.Thread(target=self._run, args=(changes,))
        self._thread.start()

    def _run(self, changes: Iterator[Change]) -> None:
        settled = True
        try:
            for change in single_changes(changes):
                if isinstance(change, RowChanges):
                    settled = False
                    self.ids += [after[0] for _, after in change.rows if after is not None]
                elif isinstance(change, Progress) and not change.in_transaction:
                    self.offset, settled = change.position.to_offset(), True
                elif isinstance(change, Waiting) and change.reason:
                    self.reasons.append(change.reason)
                    time.sleep(change.seconds)
                if settled and self._ended.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.error = error

    def await_ids(self, *numbers: int) -> None:
        wait_for(lambda: self.ids == list(numbers) or self.error, 30, f"{numbers}")
        assert self.error is None
        assert self.ids == list(numbers)

    def await_reason(self, text: str) -> None:
        wait_for(lambda: any(text in reason for reason in self.reasons), 30, text)

    def close(self) -> None:
        self._ended.set()
        self._thread.join(15)
        self.source.close()
