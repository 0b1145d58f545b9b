"""What others read in the tables is what Spark reads there; they share no code with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame

COLUMNS = [
    field("id", "int32"),
    field("a b", "string"),
    field("at", "int64", "io.debezium.time.MicroTimestamp"),
    field("seen", "string", "io.debezium.time.ZonedTimestamp"),
]


def delta_rs(path: Path) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - of what only these tests need
    from deltalake import DeltaTable, QueryBuilder  # noqa: PLC0415 - as above

    table = DeltaTable(str(path / "shop__orders"))
    found = QueryBuilder().register("orders", table).execute("SELECT * FROM orders")
    return pa.table(found.read_all())


def pyiceberg(path: Path) -> Any:
    from pyiceberg.table import StaticTable  # noqa: PLC0415 - as above

    metadata = path / "default" / "shop__orders" / "metadata"
    version = (metadata / "version-hint.text").read_text()
    return StaticTable.from_metadata(f"{metadata}/v{version}.metadata.json").scan().to_arrow()


pytestmark = pytest.mark.slow  # the readers are installed for the long run only
READERS = [("delta", delta_rs), ("iceberg", pyiceberg)]


@pytest.mark.parametrize(("table_format", "read"), READERS, ids=[name for name, _ in READERS])
def test_another_reader_sees_the_same_rows(
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    table_format: str,
    read: Callable[[Path], Any],
) -> None:
    made = sink(target={"format": table_format})
    topic = Topic(columns=COLUMNS)
    moments = {"at": 1_711_848_600_000_001, "seen": "2024-03-31T02:30:00+02:00"}
    given = [{"id": n, "a b": f"ü{n}", **moments} for n in range(6)]
    first = [topic.change("c", 100 + n, None, row) for n, row in enumerate(given)]
    made.batches.apply(frame(spark, first), "app", 0)
    topic.columns = [*COLUMNS, field("stock", "int32", optional=False, default=7)]
    second = [
        topic.change("d", 200, {**given[1], "stock": 7}, None),
        topic.change("u", 210, None, {"id": 2, "a b": None, "at": None, "seen": None, "stock": 8}),
    ]
    made.batches.apply(frame(spark, second), "app", 1)
    table = made.lake.table("shop__orders")
    names = [name for name in table.columns() if name != "__source_ts"]
    texts = [f"CAST(`{name}` AS STRING) AS `{name}`" for name in names]
    expected = sorted(tuple(row) for row in table.read().selectExpr(*texts).collect())
    assert len(expected) == 5
    assert sorted(as_text(read(tmp_path / "lake"), names)) == expected


def as_text(rows: Any, names: list[str]) -> Iterator[tuple[str | None, ...]]:
    """Yield the rows as Spark writes them as text, moments in UTC."""
    for row in rows.to_pylist():
        values = (row[name] for name in names)
        yield tuple(None if v is None else str(v).removesuffix("+00:00") for v in values)
