"""A primary and its replica, one of which may stop."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fixtures.worker import wait_for
from tools.stack import DatabaseServer


@dataclass
class Pair:
    """A primary and its replica."""

    primary: DatabaseServer
    replica: DatabaseServer
    stop: str
    start: str

    def insert(self, server: DatabaseServer, *numbers: int) -> None:
        server.execute(*(f"INSERT INTO shop.t (id) VALUES ({number})" for number in numbers))

    def await_replica(self, number: int) -> None:
        """Wait until the replica has a row."""
        query = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop'"

        def has() -> bool:
            (there,) = self.replica.query(query)[0]
            select = f"SELECT COUNT(*) FROM shop.t WHERE id = {number}"
            return bool(there) and self.replica.query(select)[0][0] == 1

        wait_for(has, what="the replica")
