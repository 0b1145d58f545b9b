"""PARTIAL_UPDATE_ROWS: JSON columns that are written as differences."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.errors import ConversionError, SchemaMismatchError
from connector.mysql.binlog.json_diff import apply_diffs
from connector.mysql.types import fields
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import SELDOM, RandomTable, table_of
from tests.unit.mysql.binlog.kind import Kind, column
from tests.unit.mysql.binlog.kinds import TEXTS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.mysql.binlog.table_rows import rows_by_plan
from tests.unit.mysql.types.binary_documents import DOCUMENTS, LEAVES, document, text

REPLACE, INSERT, REMOVE = 0, 1, 2
Step = tuple[int, list[Any], Any]  # operation, path, value
JSON = Kind(
    column("JSON"),
    fields.JSON,
    b"\x04",
    DOCUMENTS,
    lambda value: write.prefixed(document(value), 4),
    text,
    lambda value: json.dumps(value).encode(),
    "{}",
)


def path_text(path: list[Any]) -> str:
    """Names that are no identifiers are quoted like JSON texts."""
    legs = (
        f"[{leg}]"
        if isinstance(leg, int)
        else "." + (leg if leg.isascii() and leg.isidentifier() else json.dumps(leg))
        for leg in path
    )
    return "$" + "".join(legs)


def difference(operation: int, path: list[Any], value: Any = None) -> bytes:
    where = path_text(path).encode()
    head = bytes([operation]) + write.length_encoded(len(where)) + where
    if operation == REMOVE:
        return head
    data = document(value)
    return head + write.length_encoded(len(data)) + data


def stepped(tree: Any, step: Step) -> Any:
    operation, path, value = step
    if not path:
        return value
    tree = copy.deepcopy(tree)
    parent = tree
    for leg in path[:-1]:
        parent = parent[leg]
    if operation == REMOVE:
        del parent[path[-1]]
    elif operation == INSERT and isinstance(parent, list):
        parent.insert(path[-1], value)
    else:
        parent[path[-1]] = value
    return tree


@st.composite
def steps(draw: st.DrawFn, tree: Any) -> Step:
    """A step that fits a document."""
    path: list[Any] = []
    node = tree
    while isinstance(node, (dict, list)) and node and (not path or draw(st.booleans())):
        places = list(node) if isinstance(node, dict) else list(range(len(node)))
        path.append(draw(st.sampled_from(places)))
        parent, node = node, node[path[-1]]
    if not path:
        return REPLACE, [], draw(DOCUMENTS)
    operation = draw(st.sampled_from([REPLACE, INSERT, REMOVE]))
    if operation == INSERT and isinstance(parent, dict):
        name = draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5))
        path[-1] = name if name not in parent else name + "_new"
        operation = REPLACE if path[-1] in parent else INSERT
    return operation, path, draw(LEAVES | DOCUMENTS)


@st.composite
def changed_documents(draw: st.DrawFn) -> tuple[Any, list[Step], Any]:
    tree = before = draw(DOCUMENTS)
    done = []
    for _ in range(draw(st.integers(0, 4))):
        step = draw(steps(tree))
        done.append(step)
        tree = stepped(tree, step)
    return before, done, tree


@settings(max_examples=120)
@given(changed_documents())
def test_differences_lead_to_the_new_document(change: tuple[Any, list[Step], Any]) -> None:
    before, done, after = change
    diffs = b"".join(difference(*step) for step in done)
    assert apply_diffs(document(before), diffs) == text(after)


@pytest.mark.parametrize("name", ["a", "a b", 'q"q', "back\\slash", "dot.ted", "[0]", "$", "é", ""])
def test_members_of_any_name_are_found(name: str) -> None:
    found = apply_diffs(document({name: [1, {name: 2}]}), difference(REPLACE, [name, 1, name], 3))
    assert json.loads(found) == {name: [1, {name: 3}]}


@pytest.mark.parametrize(
    "diffs",
    [
        difference(REPLACE, ["missing", "member"], 1),
        difference(REMOVE, ["missing"]),
        difference(REPLACE, [5], 1),
        difference(7, ["a"], 1),
        difference(REPLACE, ["a"], 1)[:-1],
        difference(REPLACE, ["a", "b"], 1),
        difference(REPLACE, ["missing"], 1),
        b"\x02\x07$.a[bad",
        b"\x02\x03bad",
    ],
)
def test_differences_that_do_not_fit_are_refused(diffs: bytes) -> None:
    with pytest.raises(ConversionError):
        apply_diffs(document({"a": 1}), diffs)


TABLE = table_of([INTEGERS[4], JSON, TEXTS[3], JSON, JSON])
EVERY = (True,) * 5
Plain = tuple[Any, ...]


def partial_image(
    table: RandomTable, row: Plain, present: tuple[bool, ...], diffs: dict[int, bytes]
) -> bytes:
    """The options and the bitmap of all JSON columns of the table, then the image."""
    documents = [number for number, kind in enumerate(table.kinds) if kind is JSON]
    partial = [number in diffs for number in documents]
    head = b"\x01" + write.bitmap(partial) if any(partial) else b"\x00"
    cells = [
        b""
        if row[number] is None
        else write.prefixed(diffs[number], 4)
        if number in diffs
        else kind.encode(row[number])
        for number, kind in enumerate(table.kinds)
        if present[number]
    ]
    nulls = [row[number] is None for number in range(len(table.kinds)) if present[number]]
    return head + write.bitmap(nulls) + b"".join(cells)


@given(st.data())
def test_rows_with_differences(data: st.DataObject) -> None:
    present = (True, *(data.draw(st.booleans()) for _ in range(4)))
    images, expected = b"", []
    for _ in range(data.draw(st.integers(1, 3))):
        before: list[Any] = [data.draw(INTEGERS[4].values), None, b"x", None, None]
        after: list[Any] = [7, None, b"y" * 300, None, None]
        diffs = {}
        for number in (1, 3, 4):
            before[number], done, new = data.draw(changed_documents())
            after[number] = new
            is_document = new is not None and before[number] is not None
            if present[number] and is_document and not data.draw(SELDOM):
                diffs[number] = b"".join(difference(*step) for step in done)
        images += TABLE.image(tuple(before), EVERY)
        images += partial_image(TABLE, tuple(after), present, diffs)
        whole = tuple(
            new if held else old for old, new, held in zip(before, after, present, strict=True)
        )  # what the image after lacks is as it was
        expected.append((TABLE.connect(tuple(before), EVERY), TABLE.connect(whole, EVERY)))
    event = written.rows(written.PARTIAL, images, [EVERY, present])
    assert rows_by_plan(TABLE, event) == expected


def test_differences_of_an_unrequested_column_are_skipped() -> None:
    table = table_of(TABLE.kinds, [0, 3])
    row = (1, {"a": 1}, b"x", [1], [2])
    diffs = {1: b"\x00nonsense", 3: difference(REPLACE, [0], 5)}
    images = table.image(row, EVERY) + partial_image(table, row, EVERY, diffs)
    event = written.rows(written.PARTIAL, images, [EVERY, EVERY])
    assert rows_by_plan(table, event) == [((1, "[1]"), (1, "[5]"))]


def test_a_difference_to_a_document_that_is_not_in_the_log_is_refused() -> None:
    row = (1, {"a": 1}, b"x", [1], [2])
    key_only = (True, False, False, False, False)
    images = TABLE.image(row, key_only)
    images += partial_image(TABLE, row, EVERY, {3: difference(REPLACE, [0], 5)})
    event = written.rows(written.PARTIAL, images, [key_only, EVERY])
    with pytest.raises(ConversionError, match="column 4") as caught:
        rows_by_plan(TABLE, event)
    assert "binlog_row_image=FULL" in caught.value.remedy


@pytest.mark.parametrize("cut", range(1, 60, 4))
def test_partial_rows_that_are_cut_short_are_refused(cut: int) -> None:
    row = (1, {"a": 1}, b"x", [1], [2])
    images = TABLE.image(row, EVERY)
    images += partial_image(TABLE, row, EVERY, {3: difference(REPLACE, [0], 5)})
    event = written.rows(written.PARTIAL, images[:-cut], [EVERY, EVERY])
    with pytest.raises((SchemaMismatchError, ConversionError)):
        rows_by_plan(TABLE, event)
