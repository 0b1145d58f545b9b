"""Transforms one after the other, each perhaps behind a predicate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from connector.data.record import Record
from connector.transforms import chain


@dataclass
class Appended:
    """A transform that puts a letter behind the topic; None for a topic that ends in it."""

    letter: str

    def apply(self, record: Record) -> Record | None:
        if record.topic.endswith(self.letter):
            return None
        return replace(record, topic=record.topic + self.letter)


@dataclass
class Holds:
    """A predicate on the topic's name."""

    text: str

    def test(self, record: Record) -> bool:
        return self.text in record.topic


@dataclass
class Step:
    transform: Any
    predicate: Any | None = None
    negate: bool = False


def _topic(steps: list[Step], topic: str) -> str | None:
    record: Record | None = Record(topic, None, None, None, None, None)
    for function in chain(steps):
        if record is None:
            return None
        record = function(record)
    return None if record is None else record.topic


def test_transforms_are_applied_in_order() -> None:
    assert _topic([Step(Appended("a")), Step(Appended("b"))], "t") == "tab"


def test_no_transform_changes_nothing() -> None:
    assert chain([]) == []


def test_a_predicate_decides_whether_a_transform_is_applied() -> None:
    steps = [Step(Appended("1"), Holds("x")), Step(Appended("2"), Holds("x"), negate=True)]
    assert [_topic(steps, topic) for topic in ("tx", "ty")] == ["tx1", "ty2"]


def test_a_predicate_sees_what_the_transforms_before_made() -> None:
    steps = [Step(Appended("x")), Step(Appended("!"), Holds("x"))]
    assert _topic(steps, "t") == "tx!"


def test_a_record_may_be_dropped() -> None:
    assert _topic([Step(Appended("a"))], "ta") is None
