"""Log levels."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator

import pytest

from connector.errors import NotFoundError
from connector.logs import LogLevels, OneLineFormatter


@pytest.fixture
def name() -> str:
    return f"t{uuid.uuid4().hex}"


@pytest.fixture
def levels() -> Iterator[LogLevels]:
    root = logging.getLogger().level
    clock = iter(range(1000, 2000))
    yield LogLevels(lambda: next(clock))
    logging.getLogger().setLevel(root)


def test_a_level_reaches_what_is_below(levels: LogLevels, name: str) -> None:
    below, beside = logging.getLogger(f"{name}.a.b"), logging.getLogger(f"{name}x")
    before = beside.getEffectiveLevel()
    assert levels.put(name, "debug") == [name, f"{name}.a.b"]
    assert below.level == logging.DEBUG
    assert beside.getEffectiveLevel() == before
    found = levels.get(f"{name}.a.b")
    assert found is not None
    assert (found.level, found.modified) == ("DEBUG", 1000)


def test_the_same_level_again_is_no_change(levels: LogLevels, name: str) -> None:
    logging.getLogger(f"{name}.a")
    assert levels.put(name, "ERROR") == [name, f"{name}.a"]
    first = levels.get(name)
    assert levels.put(name, "ERROR") == []
    assert levels.get(name) == first
    logging.getLogger(f"{name}.a").setLevel(logging.DEBUG)
    assert levels.put(name, "ERROR") == [f"{name}.a"]


def test_the_root(levels: LogLevels, name: str) -> None:
    logging.getLogger(name)
    assert {name, "root"} <= set(levels.put("Root", "INFO"))
    assert levels.get("ROOT") == levels.get("root")
    found = levels.all()
    assert "Root" not in found
    assert found["root"].level == found[name].level == "INFO"
    assert list(found) == sorted(found)


def test_loggers_that_are_off_are_not_listed(levels: LogLevels, name: str) -> None:
    levels.put(name, "off")
    assert name not in levels.all()
    assert levels.get(name) is not None


def test_an_unknown_logger_and_an_unknown_level(levels: LogLevels, name: str) -> None:
    assert levels.get(name) is None
    with pytest.raises(NotFoundError, match=r"^invalid log level 'loud'\.$"):
        levels.put(name, "loud")
    assert levels.get(name) is None


def test_java_names_stand_for_what_does_their_work(levels: LogLevels) -> None:
    before = logging.getLogger("connector.transforms").level
    levels.put("io.debezium.transforms", "TRACE")
    assert logging.getLogger("connector.transforms").level == 5
    logging.getLogger("connector.transforms").setLevel(before)


@pytest.mark.parametrize(
    ("number", "text"), [(5, "TRACE"), (7, "TRACE"), (20, "INFO"), (35, "WARN"), (50, "FATAL")]
)
def test_levels_by_number(levels: LogLevels, name: str, number: int, text: str) -> None:
    logging.getLogger(name).setLevel(number)
    found = levels.get(name)
    assert found is not None
    assert found.level == text


def test_a_line_holds_no_control_characters_and_no_secret() -> None:
    formatter = OneLineFormatter("%(message)s")
    formatter.redact = lambda text: text.replace("s3cret", "${env:X}")
    record = logging.makeLogRecord({"msg": "a\nb\x1b[31m\x00 s3cret \u2028\tc"})
    assert formatter.format(record) == r"a\nb\x1b[31m\x00 ${env:X} \u2028" + "\tc"
