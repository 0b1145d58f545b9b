"""Settings of tables that evolve, and differences between tables."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from sparksink.schemas.spark_types import BEFORE
from tests.fixtures.sink.history_rows import row_differences
from tests.fixtures.sink.random_tables import RandomTable
from tests.fixtures.sink.recorded import Row
from tests.unit.sparksink.least_config import LEAST
from tests.unit.sparksink.played_tables import PlayedTable


def settings(chance: random.Random, conflict: str = "park") -> dict[str, Any]:
    evolution = {"drop": chance.choice(["keep", "drop"]), "conflict": conflict}
    retypes = conflict != "park"
    return {
        **LEAST,
        "source": {**LEAST["source"], "ddl.topic": "srv"},  # type: ignore[dict-item] # a mapping
        "target": {**LEAST["target"], "format": chance.choice(["delta", "iceberg"])},  # type: ignore[dict-item]
        "ordering": {"epoch": "header"},
        "history": {"enabled": not retypes, "before": "none" if retypes else "struct"},
        "evolution": evolution,
    }


def differences(played: PlayedTable, table: RandomTable) -> Iterator[str]:
    described = f"seed {table.seed}, {table.form}"
    yield from (f"{described}: {one.named} at {one.at} was not read" for one in played.unread)
    stored = played.rows(f"shop__{table.name}")
    rows = [one for one in stored if one["__op"] != "d"]
    names = sorted(one.name for one in table.columns) if table.rows else []
    expected = table.expected()
    if beside := played.beside(f"shop__{table.name}"):  # a column for each type
        expected = [(key, *map(_text, values)) for key, *values in expected]
        rows = [
            {"id": one["id"]}
            | {name: _text(_first(one, name, *beside.get(name, ()))) for name in names}
            for one in rows
        ]
    found = sorted(((one["id"], *map(one.get, names)) for one in rows), key=repr)
    if found != sorted(expected, key=repr):
        yield f"{described}: {found} is not {expected}"
    history = played.rows(f"shop__{table.name}__history")
    places = {(one["__partition"], one["__offset"]): one for one in history}
    for one in table.events:
        row = places.get((one.message["partition"], one.message["offset"]))
        if row is not None and not one.skipped:
            yield from (
                f"{described}, history: {fault}" for fault in row_differences(table, one, row)
            )
        if row and one.gone and row.get(BEFORE):
            before = json.loads(row[BEFORE])
            yield from (f"{described}, before: {o}" for o in row_differences(table, one, before))


def _first(row: Row, *names: str) -> Any:
    """Return the first value that is set."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
