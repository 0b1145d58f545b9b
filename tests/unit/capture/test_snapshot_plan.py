"""What a start does, by mode and by what is stored."""

from __future__ import annotations

from typing import Any

import pytest

from connector.capture.snapshot_plan import MODES, Mode, plan_start
from connector.errors import ConfigError, PositionLostError, StopError

# What is stored: nothing; an unfinished snapshot; a good offset; one that the server has purged.
_STATES: tuple[dict[str, Any], ...] = (
    {"has_offset": False, "in_snapshot": False, "resumable": True},
    {"has_offset": True, "in_snapshot": True, "resumable": True},
    {"has_offset": True, "in_snapshot": False, "resumable": True},
    {"has_offset": True, "in_snapshot": False, "resumable": False},
)
NONE, UNFINISHED, GOOD, LOST = _STATES
STORED: dict[str, dict[str, Any]] = {
    "none": NONE,
    "unfinished": UNFINISHED,
    "good": GOOD,
    "lost": LOST,
}

# The letters: schema and data are read, then the log is streamed; an error is named. log: all of
# the log is streamed.
TABLE = """
                      none    unfinished  good    lost
always                sd+     sd+         sd+     sd+
initial               sd+     sd+         +       position
initial_only          sd      sd          -       position
no_data               s+      s+          +       position
schema_only           s+      s+          +       position
never                 log+    unfinished  +       position
when_needed           sd+     sd+         +       sd+
recovery              error   error       s+      s+
schema_only_recovery  error   error       s+      s+
"""
_ROWS = [line.split() for line in TABLE.strip().splitlines()[1:]]
CASES = [
    pytest.param(row[0], stored, expected, id=f"{row[0]}-{stored}")
    for row in _ROWS
    for stored, expected in zip(STORED, row[1:], strict=True)
]


@pytest.mark.parametrize(("mode", "stored", "expected"), CASES)
def test_what_a_start_does(mode: str, stored: str, expected: str) -> None:
    if expected == "position":
        with pytest.raises(PositionLostError, match="no longer available on the server"):
            plan_start(mode, **STORED[stored])
    elif expected == "unfinished":
        with pytest.raises(
            StopError, match=f"not completed, but snapshot.mode={mode} does not take"
        ):
            plan_start(mode, **STORED[stored])
    elif expected == "error":
        with pytest.raises(StopError, match=f"snapshot.mode={mode} needs the offset"):
            plan_start(mode, **STORED[stored])
    else:
        plan = plan_start(mode, **STORED[stored])
        assert (plan.schema, plan.data, plan.stream) == tuple(
            part in expected.removeprefix("log") for part in "sd+"
        )
        assert plan.snapshot == ("s" in expected)
        assert plan.whole_log == expected.startswith("log")
        assert plan.mode == mode


def test_every_mode_is_in_the_table_above() -> None:
    assert [row[0] for row in _ROWS] == list(MODES)


def test_an_unknown_mode_is_named() -> None:
    with pytest.raises(ConfigError, match="value seldom for configuration"):
        plan_start("seldom", has_offset=False, in_snapshot=False, resumable=True)


def custom(**answers: bool) -> dict[str, Any]:
    """Return the mode that reads rows at a first start, with these answers."""
    return {
        "configured": lambda has_offset, in_snapshot: Mode(
            schema=not has_offset or in_snapshot,
            data=not has_offset or in_snapshot,
            stream=True,
            always=True,
            **answers,
        )
    }


@pytest.mark.parametrize("mode", ["custom", "configuration_based"])
def test_a_mode_of_its_own_is_asked_again_when_the_position_is_lost(mode: str) -> None:
    first = plan_start(mode, **NONE, **custom())
    assert (first.schema, first.data, first.whole_log) == (True, True, False)
    assert not plan_start(mode, **GOOD, **custom()).snapshot
    with pytest.raises(PositionLostError):
        plan_start(mode, **LOST, **custom())
    assert plan_start(mode, **LOST, **custom(on_lost_position=True)).data


@pytest.mark.parametrize("answer", [True, False])
def test_a_mode_of_its_own_says_what_a_lost_history_leads_to(answer: bool) -> None:
    plan = plan_start("custom", **GOOD, **custom(on_lost_history=answer))
    assert plan.on_lost_history is answer
