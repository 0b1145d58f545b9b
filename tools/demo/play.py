"""The play itself: the shop writes, events are shown, topics and Delta tables are compared."""

from __future__ import annotations

import logging
import math
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Final

from tools.demo.feed import Feed
from tools.demo.line import line
from tools.demo.replica import Replica
from tools.demo.shop import DATABASE, TABLES
from tools.demo.stage import Stage
from tools.demo.tables import Comparison, delta_tables

_STEP_SECONDS: Final = 0.5
_POLL_SECONDS: Final = 0.1
_CHECK_SECONDS: Final = 2.0
_ARRIVAL_SECONDS: Final = 30.0

log = logging.getLogger(__name__)


class Play:
    """Shows the events of a running stage."""

    def __init__(self, stage: Stage, feed: Feed) -> None:
        self._stage = stage
        self._feed = feed
        self._replica = Replica()
        self._color = sys.stdout.isatty()
        self._check_at = 0.0
        topics = [f"{stage.topic_prefix}.{DATABASE}.{table}" for table in TABLES]
        self._topic_width = max(map(len, topics))

    def run(self, seconds: float | None) -> list[str]:
        """Let the shop work, for ever when no time is given; return what is not as it must be.

        The Delta tables come at the end; when there is none, as soon as each kind of business
        was done once.

        :raises StackError: a server, the connector or the sink fails.
        """
        self._await_events()  # the snapshot is over before the first change
        until = time.monotonic() + (seconds or math.inf)
        step_at, tables_due = 0.0, seconds is None
        while time.monotonic() < until:
            if time.monotonic() >= step_at:
                if tables_due and self._stage.shop.did_all and not any(self._wrong()):
                    tables_due = False
                    if wrong := self._compare_tables():
                        return wrong
                    log.info("\nThe shop goes on. Ctrl-C ends everything.\n")
                self._stage.shop.step()
                step_at = time.monotonic() + _STEP_SECONDS
            self._show()
        return self._await_events() or self._compare_tables()

    def summary(self) -> str:
        """Log how many events were seen."""
        rows = sum(len(self._stage.shop.rows(table)) for table in TABLES)
        events = self._replica.seen.total()
        return f"{events} events; replayed they give the {rows} rows of {len(TABLES)} tables."

    def _compare_tables(self) -> list[str]:
        """Show the Delta tables that the sink makes of the topics; return which differ."""
        stage = self._stage
        names = {table: f"{DATABASE}__{table}" for table in TABLES}
        copies = delta_tables(stage.broker.address, stage.new_folder("tables"), [*names.values()])
        wrong = []
        for table, name in names.items():
            comparison = Comparison(stage.shop.rows(table), copies[name])
            heads = (f"{DATABASE}.{table} on {stage.database.name}", f"{name}, a Delta table")
            log.info("\n%s", "\n".join(comparison.lines(heads)))
            if comparison.differing:
                wrong.append(f"{name}: {comparison.verdict}")
        return wrong

    def _await_events(self) -> list[str]:
        """Show events until all have arrived, or for a time; return what is wrong then."""
        until = time.monotonic() + _ARRIVAL_SECONDS
        while (wrong := list(self._wrong())) and time.monotonic() < until:
            self._show()
        return wrong

    def _wrong(self) -> Iterator[str]:
        yield from self._replica.missing(self._stage.shop.written)
        for table in TABLES:
            yield from self._replica.differences(table, self._stage.shop.rows(table))

    def _show(self) -> None:
        width = shutil.get_terminal_size().columns if self._color else None
        for event in self._feed.poll(_POLL_SECONDS):
            self._replica.apply(event)
            text = line(event, self._topic_width, width=width, color=self._color)
            sys.stdout.write(text + "\n")
        sys.stdout.flush()
        if time.monotonic() >= self._check_at:
            self._check_at = time.monotonic() + _CHECK_SECONDS
            self._stage.check()


def play(stage: Stage, seconds: float | None) -> list[str]:
    """Run a play; return what is wrong, and print the summary if nothing is."""
    with closing(Feed(stage.broker.address, stage.topic_prefix)) as feed:
        performance = Play(stage, feed)
        wrong = performance.run(seconds)
        if not wrong:
            sys.stdout.write(performance.summary() + "\n")
    return wrong
