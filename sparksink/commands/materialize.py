"""Exports mirrors as plain Parquet files: a folder for each export, and a pointer to the last one.

Below the given path each mirror has a folder with a folder for each snapshot and the file
``_CURRENT``, which has the name of the last complete one. Names start with an increasing number, so
folders after that one are the rest of a crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batches import target_names
from sparksink.apply.keyless_mirror import KEYLESS_COLUMNS
from sparksink.apply.scd2_mirror import SCD2_COLUMNS
from sparksink.apply.topic_tables import MIRROR_COLUMNS
from sparksink.apply.tracked_columns import TRACKED_COLUMNS
from sparksink.errors import ConfigError, SinkError
from sparksink.files import Files
from sparksink.sink import Sink
from sparksink.source.routes import Route, Routes
from sparksink.sql import quote_name

POINTER: Final = "_CURRENT"
_NAME: Final = re.compile(r"(\d{8})-v(\d*)")
"""The name of a folder: an increasing number, and the version of the table."""
_OWN: Final = frozenset(
    {*MIRROR_COLUMNS, *SCD2_COLUMNS, *TRACKED_COLUMNS, *KEYLESS_COLUMNS, "__deleted"}
)
_FORMATS: Final = ("delta", "iceberg")


@runtime_checkable
class VersionedTable(Protocol):
    """A table whose versions SQL can read."""

    identifier: str


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Options of an export: keep ``keep`` snapshots of each mirror below ``to``.

    With ``meta`` the sink's columns are included, with ``cut`` the last transactional cut is read.
    """

    to: str
    keep: int = 2
    meta: bool = False
    cut: bool = False


def export_mirrors(
    sink: Sink, topics: Sequence[str], tables: str, options: ExportOptions
) -> Iterator[str]:
    """Export the mirrors whose ``db.table`` matches; yield a line for each.

    :raises ConfigError: tables of this format have no versions, or the path is inside the lake.
    :raises SinkError: nothing matches, or there is no transactional cut.
    """
    _check(sink, options.to)
    versions = _cut(sink) if options.cut else None
    routes = [
        one for one in map(Routes(sink.config).route, topics) if re.fullmatch(tables, one.table)
    ]
    names = target_names(sink.config, sink.lake, sink.state)
    present = [one for one in routes if _has_mirror(sink, one) and names.owns(one.topic)]
    if not present:
        raise SinkError(f"There is no mirror of a table that matches {tables}.")
    for route in present:
        if versions is not None and route.table not in versions:
            yield f"{route.mirror}: skipped, as the cut does not have it"
            continue
        version = sink.lake.version(route.mirror) if versions is None else versions[route.table]
        folder = SnapshotFolder(Files(sink.spark), f"{options.to.rstrip('/')}/{route.mirror}")
        name = folder.add(_rows(sink, route, version, meta=options.meta), version, options.keep)
        yield f"{route.mirror}: version {version} is in {name}"


class SnapshotFolder:
    """The snapshots of one mirror, in a folder that only one process may write at a time."""

    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        self._folder = folder

    def add(self, rows: DataFrame, version: str, keep: int) -> str:
        """Write a snapshot, point to it, and remove old snapshots; return its name."""
        current = self._files.read(f"{self._folder}/{POINTER}") or ""
        self._remove(name for name in self._names() if name > current)  # of interrupted exports
        name = f"{int(current[:8] or '0') + 1:08}-v{version}"
        rows.write.parquet(f"{self._folder}/{name}")
        self._files.replace(f"{self._folder}/{POINTER}", name)
        self._remove(self._names()[:-keep])
        return name

    def _names(self) -> list[str]:
        names = (path.rpartition("/")[2] for path in self._files.glob(f"{self._folder}/*"))
        return sorted(filter(_NAME.fullmatch, names))

    def _remove(self, names: Iterator[str] | Sequence[str]) -> None:
        for name in list(names):
            self._files.remove_all(f"{self._folder}/{name}")


def _check(sink: Sink, to: str) -> None:
    target = sink.config.target
    if target.format not in _FORMATS:
        raise ConfigError(
            f"materialize needs target.format: delta or iceberg, not {target.format}, whose tables"
            " have no versions."
        )
    if not re.match(r"/|[A-Za-z][\w+.-]*:/", to):
        raise ConfigError("--to is absolute or a URI: /data/plain or s3a://bucket/plain.")
    if f"{_without_scheme(to)}/".startswith(f"{_without_scheme(target.path)}/"):
        raise ConfigError(
            "--to must not be inside target.path: vacuum deletes unreferenced files there."
        )


def _has_mirror(sink: Sink, route: Route) -> bool:
    enabled = sink.config.table(route.table).mirror.enabled
    return enabled and sink.lake.table(route.mirror).columns() is not None


def _without_scheme(path: str) -> str:
    """Return a local path without its scheme, for comparison."""
    return re.sub(r"^file:/+", "/", path).rstrip("/")


def _cut(sink: Sink) -> Mapping[str, str]:
    found = sink.state.cut()
    if found is None:
        raise SinkError("There is no transactional cut yet.", "See the command cut, or omit --cut.")
    return found[1]


def _rows(sink: Sink, route: Route, version: str, *, meta: bool) -> DataFrame:
    """Return the living rows of a version, as in the source."""
    table = sink.lake.table(route.mirror)
    assert isinstance(table, VersionedTable)  # the format was checked
    at = f" VERSION AS OF {int(version)}" if version else ""
    rows = sink.spark.sql(f"SELECT * FROM {table.identifier}{at}")  # noqa: S608 - a quote_name name
    if "__deleted" in rows.columns:
        rows = rows.where("__deleted IS NOT TRUE")
    if meta:
        return rows
    if "__current" in rows.columns:
        rows = rows.where("__current")
    if "__count" in rows.columns:
        times = f.explode(f.expr("array_repeat(0, CAST(__count AS INT))"))
        rows = rows.withColumn("__count", times)
    return rows.select(*(quote_name(name) for name in rows.columns if name not in _OWN))
