"""Metrics show which columns of a table the native core reads and writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from connector import native
from connector.capture.change import RowChanges
from connector.converters.json import JsonConverter
from connector.debezium.encoder import DebeziumEncoder
from connector.metrics import WorkerMetrics
from connector.mysql.types.type_options import TypeOptions
from connector.native import NativeColumns
from connector.task.metrics import TaskMetrics
from tests.unit.converters.without_registry import PlainAvro
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds import TEXTS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.orders import options
from tests.unit.native.random_tables import Described, described, text_of
from tests.unit.native.row_messages import SOURCE_VALUES, change, header, in_python

built = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
CUT = {"column.truncate.to.4.chars": ".*c1"}


def orders(rules: dict[str, str]) -> Described:
    """A number, a text that may be truncated, and a text of a character set that is Python's."""
    kinds = [INTEGERS[4], TEXTS[3], text_of("utf16")]
    return described(table_of(kinds), ["c0"], TypeOptions(), rules)


def encoder_of(changes: Iterable[RowChanges], values: Any) -> DebeziumEncoder:
    encoder = DebeziumEncoder(options())
    write = encoder.compile_rows(values, values, header)
    for found in changes:
        assert list(write(found))
    return encoder


def created(known: Described, *, natively: bool = True) -> RowChanges:
    image = known.table.image((1, b"a", b"\0b"), (True,) * 3)
    event = known.event(written.WRITE, image)
    return change(known, event, known.plan().rows(event) if natively else in_python(known, event))


@built
@pytest.mark.parametrize("values", [JsonConverter(), PlainAvro()])
@pytest.mark.parametrize(("rules", "count"), [({}, 2), (CUT, 1)])
def test_columns_of_rare_types_and_truncated_ones_are_pythons(
    values: Any, rules: dict[str, str], count: int
) -> None:
    encoder = encoder_of([created(orders(rules))], values)
    expected = NativeColumns("shop.orders", "streaming", count, 3 - count)
    assert encoder.native_columns() == [expected]


@pytest.mark.parametrize("op", ["c", "r"])
def test_rows_that_python_reads_have_no_native_columns(op: Any) -> None:
    found = created(orders({}), natively=False)
    rows = RowChanges(found.codec, op, found.rows, SOURCE_VALUES, None)
    context = "snapshot" if op == "r" else "streaming"
    assert encoder_of([rows], JsonConverter()).native_columns() == [
        NativeColumns("shop.orders", context, 0, 3)
    ]


def test_tables_without_rows_are_not_listed() -> None:
    assert encoder_of([], JsonConverter()).native_columns() == []
    assert DebeziumEncoder(options()).native_columns() == []


def test_the_metric_has_a_value_for_each_path() -> None:
    metrics = TaskMetrics(database="mysql", server="srv")
    metrics.native_columns = lambda: [NativeColumns("shop.orders", "snapshot", 18, 2)]
    worker = WorkerMetrics()
    with worker.publish("acme", 0, metrics):
        shown = worker.render().decode().splitlines()
    labels = 'connector="acme",context="snapshot",path="%s",table="shop.orders",task="0"'
    assert f"millrace_native_columns{{{labels % 'native'}}} 18.0" in shown
    assert f"millrace_native_columns{{{labels % 'python'}}} 2.0" in shown
