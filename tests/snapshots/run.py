"""One run of the checker: snapshots of one kind, what happens meanwhile, and the comparison."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal

from tests.fixtures.campaign.faults import CATALOG
from tests.fixtures.campaign.rig import DATABASE, LONG
from tests.fixtures.campaign.tables import TABLES
from tests.fixtures.following import Follower
from tests.fixtures.worker import wait_for
from tests.snapshots.replay import SnapshotReplay
from tests.snapshots.rig import FAILED, SnapshotRig

Kind = Literal["initial", "resumable", "insert_insert", "insert_delete", "read_only", "blocking"]
KINDS: Final[tuple[Kind, ...]] = (
    "initial",
    "resumable",
    "insert_insert",
    "insert_delete",
    "read_only",
    "blocking",
)
_SETTINGS: Final[dict[Kind, dict[str, str]]] = {
    "initial": {"snapshot_mode": "initial"},
    "resumable": {"snapshot_mode": "initial", "millrace_snapshot_resumable": "true"},
    "insert_insert": {},
    "insert_delete": {"incremental_snapshot_watermarking_strategy": "insert_delete"},
    "read_only": {"read_only": "true"},
    "blocking": {},
}
QUICK: Final = ("kill-worker", "kill-sessions", "cut-connections", "rotate-binlog")
ALL: Final = (
    *QUICK,
    "restart-worker",
    "freeze-worker",
    "kill-database",
    "restart-database",
    "pause-connector",
    "restart-connector",
)
FAIL_OVER: Final = "fail-over"
_NAMES: Final = tuple(table.name for table in TABLES)
_LAST_MESSAGES: Final = 15.0  # seconds
_MOST_ACTIONS: Final = 5
_ATTEMPTS: Final = 5  # of reading tables that were stopped, or dropped for a moment


class Run:
    """One run on a rig that has been started. A seed decides all but the times."""

    def __init__(self, rig: SnapshotRig, seed: int, kind: Kind, faults: Sequence[str]) -> None:
        self._rig = rig
        self._kind = kind
        self._chance = random.Random(f"{seed}-{kind}")
        self._faults = faults
        self._incomplete: set[str] = set()
        self._replays: dict[str, SnapshotReplay] = {}
        self._finished: set[int] = set()
        self.actions: list[str] = []

    @property
    def read_again(self) -> int:
        """How many rows snapshots have read while the log was streamed."""
        return sum(replay.read_again for replay in self._replays.values())

    def play(self) -> None:
        """Take the snapshots, and compare.

        :raises AssertionError: the topics differ from the tables.
        """
        chance = self._chance
        rows = chance.choice((0, 1, 50, 300, 1000))
        settings = {
            "snapshot_mode": "no_data",
            "incremental_snapshot_chunk_size": str(chance.choice((7, 50, 200))),
            "snapshot_locking_mode": "minimal",
            "snapshot_max_threads": chance.choice(("1", "2")),
            "millrace_incremental_snapshot_threads": chance.choice(("1", "3")),
            **_SETTINGS[self._kind],
        }
        if self._kind in ("initial", "read_only", "blocking"):  # others write marks
            settings["from_replica"] = chance.choice(("", "true"))
        self.actions.append(f"{rows} rows, {settings}")
        self._rig.create(rows, **settings)
        self._replays = {name: SnapshotReplay(self._rig.topic(name)) for name in _NAMES}
        for replay in self._replays.values():
            replay.streams = self._kind != "initial"
        follower = Follower(self._rig.topics, f"{self._rig.name}.{DATABASE}.")
        try:
            self._take(follower)
        except AssertionError as error:
            steps = "\n".join(self.actions)
            raise AssertionError(f"{error}\n{steps}\n{self._rig.diagnosis()}") from error
        finally:
            follower.close()

    def _take(self, follower: Follower) -> None:
        if self._kind == "initial":
            self._disturb([self._inject])
            self._rig.heal()
            self._begin_stream(follower)
        else:
            self._begin_stream(follower)
            if self._kind != "resumable":
                self._execute(_NAMES)
            self._disturb([self._inject, self._inject, *self._requests()])
            self._rig.heal()
            self._rig.signal("resume-snapshot")
        self._await_end(follower)
        for _ in range(_ATTEMPTS):
            if self._incomplete:
                self.actions.append(f"again: {sorted(self._incomplete)}")
                self._execute(sorted(self._incomplete))
                self._incomplete.clear()
                self._await_end(follower)
        assert not self._incomplete, f"{self._incomplete} fail again and again"
        self._rig.at_rest(lambda: self._compare(follower))

    def _requests(self) -> list[Callable[[], str]]:
        """Return the signals that a run of this kind may send."""
        if self._kind == "blocking":
            return [self._execute_one]
        return [self._pause, self._resume, self._stop, self._execute_one]

    def _begin_stream(self, follower: Follower) -> None:
        wait_for(self._rig.streams, LONG, "the stream")
        self._read(follower)
        replays = self._replays.values()
        if self._kind != "initial":
            return
        for replay in replays:
            replay.streams, replay.snapshot_ended = True, time.time()
        last = max((replay.snapshot for replay in replays if replay.snapshot), default=None)
        if last is not None:
            for replay in replays:
                replay.end_snapshots(last)

    def _disturb(self, choices: Sequence[Callable[[], str]]) -> None:
        for _ in range(self._chance.randrange(1, _MOST_ACTIONS + 1)):
            time.sleep(self._chance.choice((0, 0.05, 0.2, 0.5)))
            action = self._chance.choice(choices)
            self.actions.append(f"{time.strftime('%X')} {action.__name__} {action()}")

    def _inject(self) -> str:
        name = self._chance.choice(self._faults)
        if name == FAIL_OVER:
            self._rig.heal()
            self._rig.fail_over(self._chance)
        else:
            CATALOG[name].act(self._rig, self._chance)
        return name

    def _execute(self, tables: Sequence[str]) -> None:
        kind = "blocking" if self._kind in ("blocking", "initial") else "incremental"
        self._rig.execute(tables, kind)

    def _execute_one(self) -> str:
        name = self._chance.choice(_NAMES)
        self._execute([name])
        return name

    def _pause(self) -> str:
        self._rig.signal("pause-snapshot")
        return ""

    def _resume(self) -> str:
        self._rig.signal("resume-snapshot")
        return ""

    def _stop(self) -> str:
        stopped = self._chance.choice([[name] for name in _NAMES] + [[]])
        names = [f"{DATABASE}.{name}" for name in stopped]
        self._rig.signal("stop-snapshot", {"data-collections": names} if names else {})
        self._incomplete.update(stopped or _NAMES)
        return str(stopped)

    def _await_end(self, follower: Follower) -> None:
        self._await_finish(follower)
        failed = self._rig.await_end().get(FAILED)
        if failed:
            self.actions.append(f"failed: {failed}")
            self._incomplete.update(name for name in _NAMES if f"{DATABASE}.{name}" in failed)

    def _await_finish(self, follower: Follower) -> None:
        """Write a last row, and read all topics up to it."""
        number = self._rig.finish()

        def has_arrived() -> bool:
            state, trace = self._rig.state()
            assert state != "FAILED", trace
            self._read(follower)
            return number in self._finished

        wait_for(has_arrived, LONG, "the last row")

    def _read(self, follower: Follower) -> None:
        for topic, messages in follower.new().items():
            table = topic.rpartition(".")[2]
            for message in messages:
                if table in self._replays:
                    self._replays[table].feed(message)
                elif table == "finish" and message.payload() is not None:
                    self._finished.add(message.payload()["after"]["id"])

    def _compare(self, follower: Follower) -> None:
        self._await_finish(follower)
        primary = self._rig.servers.primary
        for table, replay in self._replays.items():
            name = f"{DATABASE}.{table}"
            columns = {row[0]: row[1] for row in primary.query(f"SHOW COLUMNS FROM {name}")}
            versions = dict(primary.query(f"SELECT origin, version FROM {name}"))
            until = time.monotonic() + _LAST_MESSAGES
            while not replay.is_at(versions) and time.monotonic() < until:
                time.sleep(0.1)
                self._read(follower)
            rows = primary.query(f"SELECT {', '.join(columns)} FROM {name}")
            replay.check(columns, rows)
        text = self._rig.watch
        text.read_log()
        tracebacks = text.tracebacks()
        assert not tracebacks, tracebacks[0]
