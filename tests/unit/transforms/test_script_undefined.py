"""Scripts in JavaScript distinguish null and undefined: missing fields, members of null."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.data.schema import INT32, OPTIONAL_STRING, struct
from connector.errors import TransformError
from connector.transforms.scripting import ConditionFilter, ContentBasedRouter

LANGUAGE = "jsr223.graal.js"
ROW = struct("row", ("id", INT32), ("name", OPTIONAL_STRING), optional=True)
ENVELOPE = struct("e", ("before", ROW), ("after", ROW))


def event() -> Record:
    after = {"id": 7, "name": None}
    return Record("t", None, None, None, ENVELOPE, {"before": None, "after": after})


def keeps(condition: str) -> bool:
    made = ConditionFilter({"language": LANGUAGE, "condition": condition})
    return made.apply(event()) is not None


@pytest.mark.parametrize(
    "condition",
    [
        "value.after.nothing == null",
        "value.after.nothing == undefined",
        "value.after.nothing === undefined",
        "value.after.nothing !== null",
        "value.after.nothing == value.after.name",
        "value.after.nothing === value.nothing",
        "value.after.nothing != 0",
        "value.after.name == undefined",
        "value.after.name !== undefined",
        "value.after.name !== value.after.nothing",
        "value.after.name >= 0",
        "value.before?.id == null",
        "value.before?.id === undefined",
        "value.nothing?.id?.other === undefined",
        "value.after?.id == 7",
        "'' + value.nothing + undefined == 'undefinedundefined'",
        "'' + value.after.name == 'null'",
        "value.after == value.after",
    ],
)
def test_what_is_true(condition: str) -> None:
    assert keeps(condition)


@pytest.mark.parametrize(
    "condition",
    [
        "value.after.nothing >= 0",
        "value.after.nothing <= 0",
        "0 <= value.after.nothing",
        "value.after.nothing <= ''",
        "value.after.nothing < '6'",
        "value.after.nothing < 'a'",
        "value.after.nothing >= value.after.nothing",
        "value.after.nothing <= value.after.name",
        "value.after.id > undefined",
        "value.before?.id >= -5",
        "value.after.nothing == 0",
        "value.after.nothing == ''",
        "value.after.nothing == false",
        "value.after.nothing != null",
        "value.after.name === undefined",
        "[5].includes(value.after.nothing)",
    ],
)
def test_what_is_false(condition: str) -> None:
    assert not keeps(condition)


@pytest.mark.parametrize(
    "condition",
    [
        "value.after.nothing",
        "!value.after.nothing",
        "value.after.nothing.other == null",
        "value.after.nothing.length == 0",
        "value.after.nothing.toString() == 'undefined'",
        "value.after.nothing.startsWith('u')",
        "value.before.id == null",
    ],
)
def test_what_fails(condition: str) -> None:
    with pytest.raises(TransformError):
        keeps(condition)


@pytest.mark.parametrize(
    ("expression", "topic"),
    [("value.nothing", "t"), ("undefined", "t"), ("'x-' + value.nothing", "x-undefined")],
)
def test_undefined_as_a_result_is_null(expression: str, topic: str) -> None:
    settings: dict[str, Any] = {"language": LANGUAGE, "topic.expression": expression}
    routed = ContentBasedRouter(settings).apply(event())
    assert routed is not None
    assert routed.topic == topic
