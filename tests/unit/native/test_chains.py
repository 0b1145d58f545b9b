"""Rows of chains that the native core writes are those of the generic path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector import native
from connector.capture.change import EventBatch
from connector.converters.json import JsonConverter
from connector.data.record import Message, Record
from connector.debezium.compiled_chain import CompiledChain
from connector.debezium.events import EventOptions
from connector.debezium.native_chain import NativeChain
from connector.debezium.transactions import Transaction
from connector.mysql.types.type_options import TypeOptions
from connector.plugin import TransformStep
from connector.task.transform_chain import chain
from tests.fixtures.random_changes import NAMING, OPTIONS, ROW_SLOT, SOURCE
from tests.unit.converters.without_registry import PlainAvro
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.chained_pipelines import UNWRAP, pipeline_of
from tests.unit.native.event_batches import batch_of, changes_of
from tests.unit.native.random_tables import (
    LETTERS,
    Described,
    described,
    described_tables,
    images_of,
)
from tests.unit.native.row_messages import CONVERTERS, change, header, in_python, outcome
from tests.unit.transforms import random_chains

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
KAFKA = "org.apache.kafka.connect.transforms"
MASK = {"type": f"{KAFKA}.MaskField$Value", "fields": "a"}
RENAME = {"type": f"{KAFKA}.ReplaceField$Value", "renames": "b:c"}
CEL = {"type": "io.debezium.transforms.Filter", "language": "cel"}
HOIST = {"type": f"{KAFKA}.HoistField$Key", "field": "made"}


@st.composite
def tables(draw: st.DrawFn) -> Described:
    """Tables whose columns have the names of `random_chains`; numbers may have a default."""
    known = draw(described_tables(most=len(random_chains.FIELDS))).table
    names = random_chains.FIELDS[: len(known.columns)]
    columns = [replace(one, name=name) for one, name in zip(known.columns, names, strict=True)]
    for number, kind in enumerate(known.kinds):
        if kind in INTEGERS and draw(st.booleans()):
            columns[number] = replace(columns[number], has_default=True, default="7")
    key = draw(st.sampled_from([[], ["id"], ["a", "id"]]))
    needed = [name for name in key if name in names]
    excluded = draw(st.sampled_from([None, None, *names]))
    table = replace(known, columns=tuple(columns))
    return described(table, needed, TypeOptions(), {}, excluded=excluded)


def run(
    compiles: bool,
    options: EventOptions,
    converters: tuple[Any, Any],
    steps: Sequence[TransformStep],
    work: Any,
) -> Any:
    pipeline, skipped = pipeline_of(compiles, options, converters, steps, begun=True)
    return [plain(message) for message in pipeline.messages(work)], skipped


def plain(message: Message) -> Message:
    return message._replace(headers=list(message.headers or ()))


@settings(max_examples=200)
@given(
    st.data(),
    OPTIONS,
    CONVERTERS,
    CONVERTERS,
    st.sampled_from(list(LETTERS)),
    random_chains.CHAINS,
)
def test_messages_of_random_chains(
    data: st.DataObject, options: EventOptions, keys: Any, values: Any, kind: int, configs: Any
) -> None:
    table = data.draw(tables())
    event = table.event(kind, data.draw(images_of(table.table, kind)))
    expected = outcome(lambda: in_python(table, event))
    rows = outcome(lambda: table.plan().rows(event))
    if isinstance(expected, str):
        assert rows == expected
        return
    if data.draw(st.integers(0, 3)):  # most of the others are not for the core
        configs = [(UNWRAP, None, False), *((config, None, False) for config, _, _ in configs[:2])]
    ways = [
        outcome(
            partial(
                run,
                compiles,
                options,
                (keys, values),
                random_chains.build(configs),
                change(table, event, found),
            )
        )
        for compiles, found in ((True, rows), (False, expected))
    ]
    assert ways[0] == ways[1]


def write(
    batch: EventBatch,
    compiles: bool,
    options: EventOptions,
    converters: tuple[Any, Any],
    steps: Sequence[TransformStep],
) -> Any:
    """Return the messages of a batch, and what was skipped."""
    pipeline, skipped = pipeline_of(compiles, options, converters, steps)
    parts: list[Iterable[Message]] = []
    pipeline.write(batch, parts)
    return [plain(message) for part in parts for message in part], skipped


@settings(max_examples=150)
@given(st.data(), OPTIONS, CONVERTERS, CONVERTERS, random_chains.CHAINS)
def test_messages_of_batches(
    data: st.DataObject, options: EventOptions, keys: Any, values: Any, configs: Any
) -> None:
    known = [data.draw(tables()) for _ in range(data.draw(st.integers(1, 2)))]
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        table, kind = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(list(LETTERS)))
        parts.append((table, kind, data.draw(images_of(table.table, kind))))
    found = outcome(lambda: changes_of(parts))
    if isinstance(found, str) or not all(native.is_native(one.rows) and one.rows for one in found):
        return
    configs = [(UNWRAP, None, False), *((config, None, False) for config, _, _ in configs[:2])]
    steps = random_chains.build(configs[data.draw(st.integers(0, 1)) :])
    ways = [
        outcome(partial(write, batch_of(found), compiles, options, (keys, values), steps))
        for compiles in (True, False)
    ]
    assert ways[0] == ways[1]


@pytest.mark.parametrize("fields", ["", "op,source.ts_ms"])
def test_a_chain_that_arranges_columns_is_written_in_one_batch(fields: str) -> None:
    table = table_of_numbers()
    row = table.table.image((1, 2, 3), (True, True, True))
    changes = changes_of([(table, kind, row * (1 + (kind == written.UPDATE))) for kind in LETTERS])
    json = JsonConverter({"schemas.enable": "false"})
    steps = random_chains.build([({**UNWRAP, "add.fields": fields}, None, False)])
    pipeline, _ = pipeline_of(
        True, EventOptions("acme", NAMING, SOURCE, ROW_SLOT), (json,) * 2, steps
    )
    parts: list[Iterable[Message]] = []
    pipeline.write(batch_of([*changes[:2], *changes]), parts)
    assert [len(list(part)) for part in parts] == [4, 1]


@pytest.mark.parametrize("masked", ["a", "__source_ts_ms"])
@pytest.mark.parametrize(
    "last",
    [
        {"type": f"{KAFKA}.ReplaceField$Value", "include": "b"},
        {"type": f"{KAFKA}.ExtractField$Value", "field": "b"},
        {"type": f"{KAFKA}.MaskField$Value", "fields": "a", "replacement": "7"},
        {**CEL, "condition": "topic == 'another'"},
    ],
)
def test_a_value_that_cannot_be_changed_fails_its_row_even_if_it_is_left_out(
    masked: str, last: random_chains.Config
) -> None:
    table = table_of_numbers()
    rows = [table.table.image((1, 2, 3), (True, True, True))] * 2
    json = JsonConverter({"schemas.enable": "false"})
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT)
    mask = {**MASK, "fields": masked, "replacement": "no number"}
    steps = random_chains.build([(config, None, False) for config in (UNWRAP, mask, last)])
    for compiles in (True, False):
        changes = changes_of([(table, written.WRITE, row) for row in rows])
        messages, skipped = write(batch_of(changes), compiles, options, (json, json), steps)
        assert not messages
        assert len(skipped) == 2


@pytest.mark.parametrize("excluded", ["id", "a"])
def test_a_key_may_have_a_column_that_the_value_lacks(excluded: str) -> None:
    numbers = table_of_numbers().table
    table = described(numbers, ["id", "a"], TypeOptions(), {}, excluded=excluded)
    row = table.table.image((1, 2, 3), (True, True, True))
    changes = changes_of([(table, kind, row * (1 + (kind == written.UPDATE))) for kind in LETTERS])
    json = JsonConverter({"schemas.enable": "false"})
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT)
    steps = random_chains.build([(UNWRAP, None, False)])
    native_ones, generic = (
        write(batch_of(changes), compiles, options, (json, json), steps)
        for compiles in (True, False)
    )
    assert native_ones == generic
    assert native_ones[1] == []


def table_of_numbers(default: str | None = None) -> Described:
    table = table_of([INTEGERS[0]] * 3)
    columns = [
        replace(one, name=name) for one, name in zip(table.columns, ("id", "a", "b"), strict=True)
    ]
    columns[1:] = [
        replace(one, has_default=default is not None, default=default) for one in columns[1:]
    ]
    return described(replace(table, columns=tuple(columns)), ["id"], TypeOptions(), {})


def written_natively(
    steps: Sequence[dict[str, str]], kind: int, monkeypatch: pytest.MonkeyPatch
) -> int:
    """Return how many messages the core writes of one event."""
    return sum(messages for messages, _ in native_work(steps, kind, monkeypatch))


def native_work(
    steps: Sequence[dict[str, str]],
    kind: int,
    monkeypatch: pytest.MonkeyPatch,
    default: str | None = None,
) -> list[tuple[int, int | None]]:
    """Return how many messages of an event the core writes, and how many fields without Python."""
    counted: list[tuple[int, int | None]] = []
    messages = NativeChain.messages

    def count(self: NativeChain, rows: Any, event: Any) -> Any:
        found = messages(self, rows, event)
        counted.append((len(found or ()), self.writer.native_columns[0]))
        return found

    monkeypatch.setattr(NativeChain, "messages", count)
    table = table_of_numbers(default)
    present = (True,) * 3
    images = b"".join(table.table.image(row, present) for row in ((1, 2, 3), (1, 3, None)))
    event = table.event(kind, images)
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1)
    transform = chain(random_chains.build([(config, None, False) for config in steps]))

    def apply(record: Record) -> Record | None:
        found: Record | None = record
        for one in transform:
            found = found and one(found)
        return found

    converters = (PlainAvro(), JsonConverter(), header)
    rows = CompiledChain(options, Transaction(), converters, apply, lambda _: None)
    rows.messages(change(table, event, table.plan().rows(event)))
    return counted


@pytest.mark.parametrize(
    ("steps", "kind", "number"),
    [
        ([UNWRAP], written.WRITE, 2),
        ([UNWRAP], written.UPDATE, 1),
        ([UNWRAP, MASK], written.WRITE, 2),
        ([UNWRAP, MASK], written.UPDATE, 1),
        ([UNWRAP], written.DELETE, 0),
        ([MASK], written.WRITE, 0),
        ([UNWRAP, HOIST], written.WRITE, 0),
    ],
)
def test_which_chains_the_core_writes(
    steps: list[dict[str, str]], kind: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written_natively(steps, kind, monkeypatch) == number


@pytest.mark.parametrize("default", [None, "7"])
@pytest.mark.parametrize("behind", [[], [RENAME], [MASK, RENAME]])
def test_a_masked_value_needs_no_python(
    default: str | None, behind: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = len(table_of_numbers().table.columns)
    steps = [UNWRAP, MASK, *behind]
    assert native_work(steps, written.WRITE, monkeypatch, default) == [(2, columns)]


def test_a_key_that_the_chain_drops_does_not_hide_that_it_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drop = {"type": f"{KAFKA}.ReplaceField$Key", "exclude": "id"}
    assert written_natively([UNWRAP, drop], written.UPDATE, monkeypatch) == 0


def test_a_constant_between_columns() -> None:
    unwrap = chain(random_chains.build([(UNWRAP, None, False)]))[0]

    def apply(record: Record) -> Record | None:
        found = unwrap(record)
        assert found is not None
        found.value = {**found.value, "a": 7}
        return found

    table = table_of_numbers()
    images = b"".join(table.table.image(row, (True,) * 3) for row in ((1, 2, 3), (4, 5, None)))
    event = table.event(written.WRITE, images)
    options = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1)
    for values in (PlainAvro(), JsonConverter()):
        found = [
            CompiledChain(
                options, Transaction(), (values, JsonConverter(), header), apply, lambda _: None
            ).messages(change(table, event, rows))
            for rows in (table.plan().rows(event), in_python(table, event))
        ]
        assert found[0] == found[1]
