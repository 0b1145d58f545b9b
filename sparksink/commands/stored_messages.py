"""Implements the commands on stored messages: dead letters and parked tables."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from sparksink.commands import replay
from sparksink.commands.output import print_line
from sparksink.commands.read_progress import present_offsets
from sparksink.errors import TableError
from sparksink.sink import Sink


def dlq(sink: Sink, options: argparse.Namespace) -> None:
    """List, replay or purge dead letters."""
    _DLQ[options.action](sink)


def park(sink: Sink, options: argparse.Namespace) -> None:
    """List or resume parked tables."""
    sink.state.open()
    parked = sink.state.parked_tables()
    names = [
        name for name in replay.tables_with_messages(sink) if re.fullmatch(options.table, name)
    ]
    if options.action == "list":
        for name in names:
            print_line(f"{name}: {parked.get(name, 'has stored messages: run park replay')}")
        return
    failed: list[TableError] = []
    with sink.lease():
        for name in names:
            try:
                print_line(f"{name}: {replay.replay_parked(sink, name):,} messages replayed")
            except TableError as error:  # the others are resumed
                failed.append(error)
    if failed:
        raise failed[0]


def _list_dead_letters(sink: Sink) -> None:
    for row in replay.count_dead_letters(sink):
        print_line(f"{row['source_table']}: {row['count']:,} with: {row['reason']}")


def _replay_dead_letters(sink: Sink) -> None:
    with sink.lease():
        sink.state.open()
        print_line(f"{replay.replay_dead_letters(sink):,} messages replayed")


def _purge_dead_letters(sink: Sink) -> None:
    with sink.lease():
        sink.state.open()
        sink.state.table("dead_letter").run("DELETE FROM {table}")
        sink.state.give_up_transactions(
            replay.unique_batch_name("purge"), partial(present_offsets, sink)
        )


_DLQ: Final[Mapping[str, Callable[[Sink], None]]] = {
    "list": _list_dead_letters,
    "replay": _replay_dead_letters,
    "purge": _purge_dead_letters,
}
