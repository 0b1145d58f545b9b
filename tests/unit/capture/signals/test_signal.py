"""Signals and what their data says."""

from __future__ import annotations

from typing import Any

import pytest

from connector.capture.signals.signal import (
    Signal,
    SnapshotRequest,
    parse_document,
    parse_signal,
    snapshot_request,
)
from connector.capture.tables import TableId, parse_table

KNOWN = [TableId("d", "a"), TableId("d", "b"), TableId("e", "a")]


def test_types_are_read_without_regard_to_case() -> None:
    assert parse_signal("1", "Execute-Snapshot", "{}") == Signal("1", "execute-snapshot")


@pytest.mark.parametrize("data", ["{", "[]", "3", '"x"'])
def test_data_must_be_an_object(data: str) -> None:
    assert parse_signal("1", "log", data) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"id": "1", "type": "log", "data": {"message": "m"}}', {"message": "m"}),
        ('{"type": "log", "data": "{\\"message\\": \\"m\\"}"}', {"message": "m"}),
        ('{"type": "log"}', {}),
    ],
)
def test_documents_of_topics_and_files(text: str, found: dict[str, Any]) -> None:
    signal = parse_document(text, 7)
    assert signal is not None
    assert (signal.type, signal.data, signal.offset) == ("log", found, 7)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"id": "1"}', "null", '{"type": 1, "data": 1}x'])
def test_other_documents_are_skipped(text: str) -> None:
    assert parse_document(text) is None


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("d.a", TableId("d", "a")),
        ('"d"."a.b"', TableId("d", "a.b")),
        ("`d`.`a``b`", TableId("d", "a`b")),
        ('d."a""b"', TableId("d", 'a"b')),
        ("a", None),
        ("a.b.c", None),
        ('"a', None),
        ("", None),
        ("a.", None),
    ],
)
def test_names_of_tables(text: str, table: TableId | None) -> None:
    assert parse_table(text) == table


def test_expressions_mean_all_tables_that_match() -> None:
    request = SnapshotRequest((r"d\..*", "x.y", "d.a", "nothing"))
    assert request.expand(KNOWN) == [KNOWN[0], KNOWN[1], TableId("x", "y")]


def test_the_first_condition_for_a_table_counts() -> None:
    data = {
        "data-collections": ["d.a"],
        "additional-conditions": [
            {"data-collection": r"D\.A", "filter": "id > 1 OR x"},
            {"data-collection": "d.*", "filter": "y"},
        ],
        "surrogate-key": " k ",
    }
    request = snapshot_request(Signal("1", "execute-snapshot", data))
    assert request is not None
    assert request.condition(KNOWN[0]) == "(id > 1 OR x)"
    assert request.condition(KNOWN[1]) == "(y)"
    assert request.condition(KNOWN[2]) is None
    assert request.surrogate_key == "k"


@pytest.mark.parametrize(
    "data",
    [
        {"data-collections": "d.a"},
        {"data-collections": [1]},
        {"data-collections": ["("]},
        {"data-collections": ["d.a"], "type": "sideways"},
        {"data-collections": ["d.a"], "additional-conditions": ["id > 1"]},
        {"data-collections": ["d.a"], "additional-conditions": [{"filter": "id > 1"}]},
    ],
)
def test_data_that_cannot_be_used_is_refused(data: dict[str, Any]) -> None:
    assert snapshot_request(Signal("1", "execute-snapshot", data)) is None
