"""Finds a server that accepts watermarks while the captured one is read-only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from connector.errors import ServerSwitchError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.server_choice import ServerChoice, with_unfinished
from connector.mysql.session.addresses import Address

_INTERVAL: Final = 10.0  # seconds from one search to the next one


class WritableServer:
    """Asks the other servers of ``database.hostname``; used by the thread of the capture.

    A capture is on a read-only server after a failover to a replica that was not promoted, or
    when its primary has become a replica. The servers are asked by another thread: one that is
    down may not answer for a long time, and the stream goes on meanwhile.
    """

    def __init__(
        self, choice: ServerChoice, log_position: Callable[[], Coordinates | None]
    ) -> None:
        self._choice = choice
        self._log_position = log_position
        self._next = 0.0
        self._search: threading.Thread | None = None
        self._found: Address | None = None

    def seek(self) -> None:
        """Switch to another server if the last search found one; else search again when due.

        The other server has to continue what the stream has come to.

        :raises ServerSwitchError: the capture has to connect again, to the other server.
        """
        if self._search is not None and self._search.is_alive():
            return
        found, self._found = self._found, None
        if found is not None:
            self._choice.switch_to(found)
            raise ServerSwitchError(f"The server is read-only; switching to {found}")
        at = self._log_position()
        if at is not None and time.monotonic() >= self._next:
            position = with_unfinished(at.position(), at)
            self._next = time.monotonic() + _INTERVAL
            self._search = threading.Thread(
                target=self._ask, args=(position,), name="writable-server", daemon=True
            )
            self._search.start()

    def _ask(self, position: BinlogPosition) -> None:
        self._found = self._choice.writable(position)
