"""Transforms run in order, each with or without a predicate."""

from __future__ import annotations

from dataclasses import dataclass, replace

from connector.data.record import Record
from connector.plugin import Predicate, Transform, TransformStep
from connector.task.transform_chain import chain


@dataclass
class Appended:
    """A transform that appends a letter to the topic, and drops topics that end in it."""

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


def step(
    transform: Transform, predicate: Predicate | None = None, *, negate: bool = False
) -> TransformStep:
    return TransformStep("alias", transform, predicate, negate)


def _topic(steps: list[TransformStep], topic: str) -> str | None:
    record: Record | None = Record(topic, None, None, None, None, None)
    for function in chain(steps):
        if record is None:
            return None
        record = function(record)
    return None if record is None else record.topic


def test_transforms_are_applied_in_order() -> None:
    assert _topic([step(Appended("a")), step(Appended("b"))], "t") == "tab"


def test_no_transform_changes_nothing() -> None:
    assert chain([]) == []


def test_a_predicate_decides_whether_a_transform_is_applied() -> None:
    steps = [step(Appended("1"), Holds("x")), step(Appended("2"), Holds("x"), negate=True)]
    assert [_topic(steps, topic) for topic in ("tx", "ty")] == ["tx1", "ty2"]


def test_a_predicate_sees_what_the_transforms_before_made() -> None:
    steps = [step(Appended("x")), step(Appended("!"), Holds("x"))]
    assert _topic(steps, "t") == "tx!"


def test_a_record_may_be_dropped() -> None:
    assert _topic([step(Appended("a"))], "ta") is None
