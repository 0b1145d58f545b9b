"""Transaction marks, the order of events inside, and a restart in the middle."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import TransactionBoundary
from connector.capture.tables import TableId
from connector.debezium.transactions import Transaction, mark_record

A, B = TableId("shop", "a"), TableId("shop", "b")


def _mark(transaction: Transaction, status: Any, name: str = "x:1") -> dict[str, Any] | None:
    record = mark_record(TransactionBoundary(status, name, 7), transaction, "topic")
    if record is None:
        return None
    assert record.topic == "topic"
    assert record.key == {"id": name}
    assert record.value["id"] == name
    assert record.value["ts_ms"] == 7
    assert not record.headers
    return dict(record.value)


def test_events_are_counted_in_all_and_for_each_table() -> None:
    transaction = Transaction()
    transaction.begin("x:1")
    orders = [transaction.event(table) for table in (A, B, A)]
    assert orders == [
        {"id": "x:1", "total_order": 1, "data_collection_order": 1},
        {"id": "x:1", "total_order": 2, "data_collection_order": 1},
        {"id": "x:1", "total_order": 3, "data_collection_order": 2},
    ]


def test_the_begin_has_no_counts_and_the_end_has_all() -> None:
    transaction = Transaction()
    begin = _mark(transaction, "BEGIN")
    assert begin is not None
    assert (begin["status"], begin["event_count"], begin["data_collections"]) == (
        "BEGIN",
        None,
        None,
    )
    for table in (A, B, A):
        transaction.event(table)
    end = _mark(transaction, "END")
    assert end is not None
    assert (end["status"], end["event_count"]) == ("END", 3)
    assert end["data_collections"] == [  # in the order of Java's map
        {"data_collection": "shop.b", "event_count": 1},
        {"data_collection": "shop.a", "event_count": 2},
    ]
    assert transaction.id is None


def test_an_end_without_a_begin_is_not_emitted() -> None:
    assert _mark(Transaction(), "END") is None


def test_a_transaction_that_resumes_has_no_second_begin_and_continues_to_count() -> None:
    transaction = interrupted()
    assert not transaction.begin("x:1", resumed=True)
    assert transaction.event(A) == {"id": "x:1", "total_order": 2, "data_collection_order": 2}


def test_a_transaction_that_is_read_again_from_its_start_counts_from_its_start() -> None:
    transaction = interrupted()
    assert transaction.begin("x:1")
    assert transaction.event(A) == {"id": "x:1", "total_order": 1, "data_collection_order": 1}


def test_a_transaction_of_which_debezium_emitted_the_begin_alone_has_no_second_one() -> None:
    """Its offset counts no event of the log then, so that nothing is skipped."""
    transaction = Transaction()
    transaction.restore({"transaction_id": "x:1"})
    assert _mark(transaction, "BEGIN", "x:1") is None
    assert transaction.event(A) == {"id": "x:1", "total_order": 1, "data_collection_order": 1}


def interrupted() -> Transaction:
    """A transaction that a restart found after one event."""
    before, after = Transaction(), Transaction()
    before.begin("x:1")
    before.event(A)
    after.restore(before.to_offset())
    return after


def test_another_transaction_begins_from_one() -> None:
    transaction = Transaction()
    transaction.begin("x:1")
    transaction.event(A)
    assert _mark(transaction, "BEGIN", "x:2") is not None
    assert transaction.event(A)["total_order"] == 1


@given(st.lists(st.sampled_from([A, B, TableId("d.e", "ü")])), st.integers(0, 20))
def test_a_restart_anywhere_goes_on_counting(tables: list[TableId], cut: int) -> None:
    whole, before, after = Transaction(), Transaction(), Transaction()
    whole.begin("x:1")
    before.begin("x:1")
    expected = [whole.event(table) for table in tables]
    found = [before.event(table) for table in tables[:cut]]
    after.restore({"file": "f", "pos": 4, **before.to_offset()})
    found += [after.event(table) for table in tables[cut:]]
    assert found == expected
    assert after.to_offset() == whole.to_offset()


def test_outside_of_a_transaction_an_offset_needs_nothing() -> None:
    transaction = Transaction()
    assert transaction.to_offset() == {}
    transaction.restore({"file": "f", "pos": 4})
    assert transaction.id is None
