"""The tables of one topic: which there are, and who writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from sparksink.apply.bag import BAG_OWN, ROW_NAMES, Bag, check_columns, note_columns
from sparksink.apply.batch import Writer
from sparksink.apply.history import Earlier, History
from sparksink.apply.intervals import INTERVAL_OWN, Intervals, close
from sparksink.apply.mirror import Mirror, sweep
from sparksink.apply.tracked import TRACKED_OWN
from sparksink.config.keys import SinkConfig
from sparksink.decode.extras import OF_EVENTS
from sparksink.decode.layouts import Layout
from sparksink.decode.reading import MESSAGE, META, Reading
from sparksink.errors import TableError
from sparksink.evolve.fitting import Target
from sparksink.evolve.nested import ROW
from sparksink.evolve.steps import filling
from sparksink.order import PLACE
from sparksink.order import Sequence as Place
from sparksink.schemas.spark_types import BEFORE, Mapped
from sparksink.schemas.versions import Versions
from sparksink.source.routes import Route
from sparksink.state.applied import Boundary
from sparksink.state.state import State
from sparksink.tables import Lake

MIRROR_OWN: Final = dict(zip(META, ("bigint", "bigint", "string", "timestamp"), strict=True))
HISTORY_OWN: Final = {
    **MIRROR_OWN,
    **dict(
        zip((f"__{name}" for name in MESSAGE), "string int bigint timestamp".split(), strict=True)
    ),
    "__streamed": "boolean",
    "__batch": "bigint",
}

_MOST: Final[Mapping[str, int]] = {"bag_view": (1 << 63) - 1, "full_row": 1}
"""Modes that count rows without a key → the highest count that is shown."""
_BEFORE: Final[Mapping[str, str]] = {"struct": ROW, "json": "string"}
_KEY_READING: Final = "key.reading"


class Targets:
    """The mirror and the history of one topic, of whatever kind its settings say."""

    def __init__(self, route: Route, config: SinkConfig, lake: Lake, state: State) -> None:
        self._route = route
        self._config = config
        self._rules = config.table(route.table)
        self._lake = lake
        self._state = state
        self._mirror = self._target(route.mirror, self._own(), mirror=True)
        own = {**HISTORY_OWN, **self._extras()}
        self._history = self._target(route.history, own, mirror=False)
        self._bag = self._target(route.mirror, BAG_OWN, mirror=True)
        self._bag_history = self._target(route.history, {**own, **ROW_NAMES}, mirror=False)
        self._earlier = Earlier(self._history, state)

    def _own(self) -> Mapping[str, str]:
        if self._rules.mirror.scd == 2:
            return {**INTERVAL_OWN, **(TRACKED_OWN if self._rules.mirror.track_columns else {})}
        soft = {"__deleted": "boolean"} if self._rules.mirror.deletes == "soft" else {}
        return {**MIRROR_OWN, **soft}

    def _extras(self) -> Mapping[str, str]:
        rules = self._rules.history
        before = {BEFORE: _BEFORE[rules.before]} if rules.before in _BEFORE else {}
        return {**OF_EVENTS, **before}

    def _target(self, name: str, own: Mapping[str, str], *, mirror: bool) -> Target:
        rules, kind = self._config.evolution, self._config.target.format
        if kind == "parquet":  # files are not written anew for a name
            rules = rules.model_copy(update={"rename": "add"})
        keeps_past = not mirror or self._rules.mirror.scd == 2
        if keeps_past:  # what is past has its columns still
            rules = rules.model_copy(update={"drop": "keep"})
        placed = self._rules.target.partitioning if mirror else self._rules.history.partitioning
        how = placed.called(self._config.target.column)
        target = Target(name, self._lake.table(name), own, rules, kind, how, fills=mirror)
        target.keeps_past = keeps_past
        target.appends_first = mirror and self._config.snapshot.fast_path
        target.beside_keys = PLACE if mirror and self._rules.mirror.scd == 2 else ()
        return target

    def keys(self, told: tuple[str, ...]) -> tuple[str, ...]:
        """Return the key by its names in the target, where the messages tell of this one.

        A TRUNCATE has none, and may be all that comes after a start.
        """
        found: Sequence[str] = told or self._mirror.keys()
        named = self._rules.nopk.removeprefix("key:")
        if not found and named != self._rules.nopk:
            found = named.split(",")
        if self._rules.keys is not None:
            found = self._rules.keys
        return tuple(map(self._config.target.column, found))

    def counts(self, keys: tuple[str, ...]) -> bool:
        """Tell whether the mirror is one that counts rows without a key."""
        return not keys and self._rules.nopk in _MOST and self._rules.mirror.enabled

    def has_history(self) -> bool:
        """Tell whether there is a history already."""
        return bool(self._history.columns)

    def writers(self, keys: tuple[str, ...], *, history: bool) -> list[Writer]:
        """Return who writes, in the order in which they must.

        :raises TableError: the table has no key, and its settings forbid that.
        """
        rules, table = self._rules, self._route.table
        if not keys and rules.nopk == "fail":
            raise TableError(
                f"{table} has no key, which nopk=fail forbids.",
                "Name its key by nopk=key:COLUMNS, or set nopk=history or bag_view.",
            )
        writers: list[Writer] = []
        if rules.mirror.enabled and keys:
            writers.append(self._mirror_writer(keys))
        if history and (rules.history.enabled or not keys):
            counts = self.counts(keys)
            target = self._bag_history if counts else self._history
            writers.append(History(table, target, rules.history, self._state, self._earlier))
            if counts:
                writers.append(self._bag_writer())
        return writers

    def sweep(self, end: Boundary) -> None:
        """Remove what was in the mirror before a snapshot that found the table empty."""
        if "__count" in self._bag.columns:
            self._bag_writer().sweep(Place(end.hi, end.lo))
        elif self._rules.mirror.scd == 2:
            close(self._route.table, self._mirror, [end], self._state)
        else:
            place, soft = Place(end.hi, end.lo), self._rules.mirror.truncate == "soft"
            sweep(self._route.table, self._mirror, place, self._state, soft=soft)

    def check_counts(
        self, layouts: Sequence[Layout], readings: Sequence[Reading], versions: Versions | None
    ) -> None:
        """Refuse what rows without a key cannot follow.

        :raises TableError: the rows or their history are not of the kind that is needed.
        """
        table = self._route.table
        if any(layout.form != "envelope" for layout in layouts):
            raise TableError(f"{table} has no key, and its messages tell of no row as it was.")
        if self._history.columns and "__row_name" not in self._history.columns:
            raise TableError(
                f"{table} has a history that does not name its rows.",
                "Remove it, take a new snapshot, and run park replay.",
            )
        filled = {
            column.name
            for layout, reading in zip(layouts, readings, strict=True)
            for column in layout.shape.columns
            if column.name in reading.columns and filling(column, reading.columns[column.name])
        }
        filled |= {one.name for layout in layouts for one in layout.shape.columns if one.gone}
        check_columns(table, self._bag, _kinds(readings, versions), filled)

    def note_counts(self, readings: Sequence[Reading], versions: Versions | None) -> None:
        """Note the columns that name rows."""
        note_columns(self._bag, _kinds(readings, versions))

    def note_key(self, reading: Reading) -> None:
        """Note how keys are read, for the case that nothing but tombstones comes after a start."""
        if not self._rules.mirror.enabled:
            return
        key = {name: reading.columns[name] for name in reading.keys}
        read = {name: [m.wire, m.target, m.sql] for name, m in key.items()}
        others = {name: [m.drops, m.member] for name, m in key.items() if m.member}
        text = json.dumps({name: [*one, *others.get(name, ())] for name, one in read.items()})
        self._mirror.note(_KEY_READING, text)

    def noted_key(self) -> Reading | None:
        """Return how keys are read as it was noted; None where there is no table."""
        noted = self._mirror.noted(_KEY_READING)
        if noted is None:
            return None
        columns = {name: Mapped(*given) for name, given in json.loads(noted).items()}
        return Reading(tuple(columns), columns, self._config.ordering, images=False)

    def _mirror_writer(self, keys: tuple[str, ...]) -> Writer:
        rules, table = self._rules, self._route.table
        if rules.mirror.scd == 2:
            tracked = [*map(self._config.target.column, rules.mirror.track_columns)]
            follows = rules.mirror.model_copy(update={"track_columns": tracked})
            return Intervals(table, self._mirror, keys, follows, self._state)
        keeps = rules.columns.keeps
        return Mirror(table, self._mirror, keys, rules.mirror, self._state, keeps=keeps)

    def _bag_writer(self) -> Bag:
        return Bag(
            self._route.table,
            self._bag,
            self._bag_history,
            self._rules.mirror,
            self._state,
            _MOST.get(self._rules.nopk, 1),
        )


def _kinds(readings: Sequence[Reading], versions: Versions | None) -> list[Mapping[str, str]]:
    """Return the columns of each shape, name to type and, of a name used again, its begin."""
    born = {
        name: f" since {start}" for name, start in (versions.reused if versions else {}).items()
    }
    return [
        {name: one.target + born.get(name, "") * (name not in reading.gone)
         for name, one in reading.columns.items()} for reading in readings
    ]  # fmt: skip
