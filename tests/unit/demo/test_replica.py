from typing import Any

from tools.demo.feed import Event
from tools.demo.replica import Replica

KEY = {"id": 1}


def event(
    kind: str, after: dict[str, Any] | None = None, key: dict[str, Any] | None = KEY
) -> Event:
    return Event("shop.inventory.t", 0.0, kind, "t", key, None, after)


def replica(*events: Event) -> Replica:
    made = Replica()
    for one in events:
        made.apply(one)
    return made


def differences(made: Replica, *rows: dict[str, Any]) -> list[str]:
    return list(made.differences("t", rows))


def test_a_row_is_as_the_last_event_left_it() -> None:
    made = replica(event("insert", {"id": 1, "a": 1}), event("update", {"id": 1, "a": 2}))
    assert differences(made, {"id": 1, "a": 2}) == []
    assert differences(made, {"id": 1, "a": 1}) == [
        "t: the database has {'id': 1, 'a': 1}, the topic {'id': 1, 'a': 2}"
    ]


def test_a_deleted_row_is_gone() -> None:
    made = replica(event("insert", {"id": 1}), event("delete"), event("tombstone"))
    assert differences(made) == []
    assert differences(made, {"id": 1}) == ["t: the database has {'id': 1}, the topic None"]


def test_an_extra_row_is_reported() -> None:
    made = replica(event("read", {"id": 1}))
    assert differences(made) == ["t: the topic has {'id': 1}, the database has no such row"]


def test_a_column_that_was_added_later_is_null() -> None:
    assert differences(replica(event("read", {"id": 1})), {"id": 1, "new": None}) == []
    assert differences(replica(event("read", {"id": 1})), {"id": 1, "new": 0}) != []


def test_too_few_and_too_many_events_are_missing() -> None:
    made = replica(event("insert", {"id": 1}), Event("shop", 0.0, "alter", "t", ddl="ALTER …"))
    assert made.missing({("t", "insert"): 1, ("t", "alter"): 1}) == []
    assert made.missing({("t", "insert"): 2}) == ["t: 1 events 'insert', not 2"]
    assert made.missing({("t", "insert"): 0}) == ["t: 1 events 'insert', not 0"]
