"""The last act: the Spark sink makes Delta tables of the topics, and they equal the source's."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sparksink import jars
from sparksink.errors import SinkError
from tools.demo.feed import Row
from tools.demo.line import format_value
from tools.stack import StackError
from tools.stack.child import Child
from tools.stack.folders import STACK, locked
from tools.stack.progress import log_progress

_ROOT: Final = Path(__file__).parents[2]
_SHOWN: Final = 5
_USUAL: Final = "half a minute"
_LOG_SECONDS: Final = 5.0
_LIMIT_SECONDS: Final = 600.0

log = logging.getLogger(__name__)


def delta_tables(broker: str, folder: Path, tables: Sequence[str]) -> Mapping[str, list[Row]]:
    """Run the sink once on the topics of a broker; return the rows of its tables, as JSON has them.

    :raises StackError: Spark cannot be had, or the sink fails.
    """
    _fetch()
    log.info("tables: Spark makes Delta tables of the topics; this takes about %s", _USUAL)
    begun = time.monotonic()
    command = [sys.executable, "-m", "tools.demo.sink_once", broker, str(folder), *tables]
    child = Child(command, folder / "sink.log", environment={"PYTHONPATH": str(_ROOT)})
    try:
        _await(child, begun)
    finally:
        child.kill()
    log.info("tables: made in %.0f s", time.monotonic() - begun)
    found: dict[str, list[Row]] = json.loads((folder / "rows.json").read_text("utf-8"))
    return found


def _fetch() -> None:
    """Fetch what Spark itself lacks, unless it is here."""
    downloads = STACK / "downloads"
    jars.folder().parent.mkdir(parents=True, exist_ok=True)
    if jars.folder().exists():
        return
    log.info("tables: the jars of Kafka and of the table formats are fetched, once")
    try:
        with (
            locked(downloads / "maven.lock", "Maven"),
            log_progress("tables", jars.folder().parent),
        ):
            jars.fetch(options=[f"-Dmaven.repo.local={downloads / 'maven'}"])
    except SinkError as error:
        raise StackError(str(error)) from error


def _await(child: Child, begun: float) -> None:
    log_at = begun + _LOG_SECONDS
    while (status := child.wait(0.2)) is None:
        now = time.monotonic()
        if now - begun > _LIMIT_SECONDS:
            raise StackError(f"The sink has not ended after {now - begun:.0f} s:\n{child.tail()}")
        if now >= log_at:
            log.info("tables: %.0f s …", now - begun)
            log_at += _LOG_SECONDS
    if status:
        raise StackError(f"The sink has failed with status {status}:\n{child.tail()}")


class Comparison:
    """The rows of one table, those of the database beside those of its Delta table, by their id."""

    def __init__(self, source: Sequence[Row], copy: Sequence[Row]) -> None:
        self._source = {row["id"]: row for row in as_json(source)}
        self._copy = {row["id"]: row for row in copy}
        self._columns = list(dict.fromkeys(name for row in [*source, *copy] for name in row))

    @property
    def differing(self) -> list[Any]:
        """The ids of the rows that are not the same in both."""
        ids = sorted({*self._source, *self._copy})
        return [one for one in ids if self._source.get(one) != self._copy.get(one)]

    @property
    def verdict(self) -> str:
        """``EQUAL`` or ``DIFFERENT``, with the numbers of rows."""
        if not self.differing:
            return f"EQUAL: {len(self._source)} rows"
        return f"DIFFERENT: {len(self.differing)} of {len(self._source)} rows"

    def lines(self, names: tuple[str, str], count: int = _SHOWN) -> Iterator[str]:
        """Yield the first rows and those that differ side by side, then the verdict."""
        ids = sorted({*self._source, *self._copy})
        chosen = sorted({*ids[:count], *self.differing[:count]})
        left = self._texts(self._source, chosen)
        right = self._texts(self._copy, chosen)
        width = max(map(len, [names[0], *left]))
        signs = [" ", *("≠" if one in self.differing else "=" for one in chosen)]
        yield f"{names[0]:{width}}     {names[1]}"
        for there, sign, here in zip(left, signs, right, strict=True):
            yield f"{there:{width}}  {sign}  {here}".rstrip()
        if len(ids) > len(chosen):
            yield f"… and {len(ids) - len(chosen)} more"
        yield self.verdict

    def _texts(self, rows: Mapping[Any, Row], ids: Sequence[Any]) -> list[str]:
        """Return the names of the columns and a line a row, in columns of one width."""
        cells = [self._columns]
        for one in ids:
            row = rows.get(one)
            cells.append([format_value(row.get(n)) if row else "-" for n in self._columns])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return [
            "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]


def as_json(rows: Sequence[Row]) -> list[Row]:
    """Return rows of the database driver as JSON has them, so that both can be compared."""
    found: list[Row] = json.loads(json.dumps(rows, default=str))
    return found
