"""Rounds of a campaign: some faults under load, then everything heals and is compared."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import pymysql

from tests.campaign.faults import Fault
from tests.campaign.replay import Replay
from tests.campaign.rig import DATABASE, LONG, Rig
from tests.campaign.tables import TABLES
from tests.campaign.writers import touch_every_row
from tests.fixtures.following import Follower
from tests.fixtures.worker import wait_for
from tools.stack.errors import StackError

CATCH_UP_LIMIT: Final = 60.0  # seconds
MEMORY_LIMIT: Final = 300  # MB
_LAST_MESSAGES: Final = 15.0  # seconds for those of other topics behind the last row


@dataclass
class Measured:
    """The measurements of a campaign."""

    faults: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    messages: int = 0
    repeated: int = 0
    slow_stops: int = 0
    longest_catch_up: float = 0.0
    peak_megabytes: int = 0

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return (
            f"{self.faults.total()} faults in {self.rounds} rounds, {self.messages} messages, "
            f"{self.repeated} repeated, {self.slow_stops} clean rounds with a broker too slow for "
            f"a stop, longest catch-up {self.longest_catch_up:.0f} s, "
            f"peak memory {self.peak_megabytes} MB ({kinds})"
        )


class Campaign:
    """Runs rounds on a rig that has been started.

    ``kinds`` are the faults to choose from.
    """

    def __init__(
        self,
        rig: Rig,
        report: Callable[[str], None],
        kinds: Sequence[Fault],
        *,
        rounds_of_a_connector: int = 5,
    ) -> None:
        self._rig = rig
        self._report = report
        self._kinds = kinds
        self._rounds_of_a_connector = rounds_of_a_connector
        self._replays: dict[str, Replay] = {}
        self._follower: Follower | None = None
        self._finished = 0
        self.measured = Measured()

    def run(self, faults: int, faults_of_a_round: int = 8) -> None:
        """Inject so many faults.

        :raises AssertionError: something was lost, or another promise was broken.
        """
        while self.measured.faults.total() < faults:
            if self.measured.rounds % self._rounds_of_a_connector == 0:
                self._new_connector()
            left = faults - self.measured.faults.total()
            self._round(min(left, faults_of_a_round))
        self._rig.stop_writers()
        if self._follower is not None:
            self._follower.close()

    def _new_connector(self) -> None:
        self._rig.create_connector()
        if self._follower is not None:
            self._follower.close()
        self._follower = Follower(self._rig.topics, f"{self._rig.name}.{DATABASE}.")
        self._replays = {
            table: Replay(self._rig.topic(table)) for table in [t.name for t in TABLES]
        }

    def _round(self, count: int) -> None:
        is_clean = (
            self._rig.gate.xa_allowed
            and any(one.is_clean for one in self._kinds)
            and self._rig.chance.random() < 0.25
        )
        if is_clean:
            self._rig.reset_dead_connections()
        repeated = self._repeated()
        names = [self._inject(one) for one in self._choose(count, clean=is_clean)]
        try:
            self._rig.heal()
            seconds = self._finish()
            repeated = self._repeated() - repeated
            self.measured.repeated += max(repeated, 0)
            self._rig.watch.read_log()
            if is_clean and self._rig.watch.unacknowledged_stops:  # Kafka was too slow for it
                self.measured.slow_stops += 1
                is_clean = False
            assert not (is_clean and repeated), f"{repeated} events repeated after a clean stop"
            self._check_worker(seconds)
        except (AssertionError, pymysql.Error, StackError) as error:
            raise AssertionError(
                f"{error}\nconnector {self._rig.name}; faults of the round: {', '.join(names)}\n"
                f"{self._rig.diagnosis()}"
            ) from error
        self.measured.rounds += 1
        kind = "clean round" if is_clean else "round"
        self._report(f"{kind} {self.measured.rounds}: {self.measured}")

    def _choose(self, count: int, *, clean: bool) -> list[Fault]:
        kinds = [one for one in self._kinds if one.is_clean or not clean]
        return self._rig.chance.choices(kinds, [one.weight for one in kinds], k=count)

    def _inject(self, one: Fault) -> str:
        time.sleep(self._rig.chance.choice((0, 0.2, 1, 2)))
        if not self._rig.gate.xa_allowed and self._rig.streams():
            self._snapshot_ended()
        one.act(self._rig, self._rig.chance)
        self.measured.faults[one.name] += 1
        return one.name

    def _finish(self) -> float:
        """Write a last row and read all topics up to it; return how long it took to come."""
        rig = self._rig
        if not rig.gate.xa_allowed:
            wait_for(rig.streams, LONG, "the end of the snapshot")
            self._snapshot_ended()
        self._finished += 1

        seconds: float = rig.at_rest(self._last_row_to_equality)
        return seconds

    def _snapshot_ended(self) -> None:
        self._rig.gate.xa_allowed = True
        for replay in self._replays.values():
            replay.snapshot_ended = time.time()

    def _last_row_to_equality(self) -> float:
        with self._rig.servers.connect(database=DATABASE, read_timeout=LONG) as connection:
            touch_every_row(connection)
            begun = time.monotonic()
            connection.cursor().execute(f"INSERT INTO finish VALUES ({self._finished})")
        wait_for(self._read_to_finish, LONG, "the last row")
        seconds = time.monotonic() - begun
        self._compare()
        return seconds

    def _read_to_finish(self) -> bool:
        assert self._follower is not None
        state, trace = self._rig.state()
        assert state != "FAILED", trace
        finish = self._rig.topic("finish")
        found = False
        for topic, messages in self._follower.new().items():
            table = topic.rpartition(".")[2]
            for message in messages:
                self.measured.messages += 1
                if table in self._replays:
                    self._replays[table].feed(message)
                elif topic == finish:
                    found |= message.payload()["after"]["id"] == self._finished
        return found

    def _repeated(self) -> int:
        return sum(replay.repeated for replay in self._replays.values())

    def _compare(self) -> None:
        """Compare all topics with their tables; each topic may need a moment of its own."""
        replays = self._replays.values()
        last = max((replay.snapshot for replay in replays if replay.snapshot), default=None)
        if last is not None:
            for replay in replays:
                replay.end_snapshots(last)
        for table, replay in self._replays.items():
            name = f"{DATABASE}.{table}"
            primary = self._rig.servers.primary
            columns = {row[0]: row[1] for row in primary.query(f"SHOW COLUMNS FROM {name}")}
            versions = dict(primary.query(f"SELECT origin, version FROM {name}"))
            until = time.monotonic() + _LAST_MESSAGES
            while not replay.is_at(versions) and time.monotonic() < until:
                time.sleep(0.1)
                self._read_to_finish()
            rows = primary.query(f"SELECT {', '.join(columns)} FROM {name}")
            replay.check(columns, rows)

    def _check_worker(self, seconds: float) -> None:
        measured, watch = self.measured, self._rig.watch
        measured.longest_catch_up = max(measured.longest_catch_up, seconds)
        measured.peak_megabytes = max(measured.peak_megabytes, watch.peak_megabytes)
        tracebacks = watch.tracebacks()
        assert not tracebacks, f"{len(tracebacks)} tracebacks, the first: {tracebacks[0]}"
        assert seconds <= CATCH_UP_LIMIT, f"catch-up took {seconds:.0f} s"
        assert watch.peak_megabytes <= MEMORY_LIMIT, f"{watch.peak_megabytes} MB of memory"
