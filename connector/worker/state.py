"""What a connector should do, what it does, and the steps between: tables only.

The *target state* is what users ask for and is kept with the configuration. The *state* of a
connector and of its task is what REST clients see.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class TargetState(StrEnum):
    """What a connector should do."""

    STARTED = "STARTED"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"


class State(StrEnum):
    """What a connector or a task does."""

    UNASSIGNED = "UNASSIGNED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    FAILED = "FAILED"
    RESTARTING = "RESTARTING"
    STOPPED = "STOPPED"


class Step(StrEnum):
    """One thing to do on the way from a target state to another."""

    BEGIN = "generate the task's configuration, start the task"
    RESUME = "let the task go on; start it where there is none"
    HOLD = "let the task pause, with all it has open"
    END = "stop the task, forget its configuration"


# The state of a connector whose target is reached.
REACHED: Final = {
    TargetState.STARTED: State.RUNNING,
    TargetState.PAUSED: State.PAUSED,
    TargetState.STOPPED: State.STOPPED,
}

_STARTED, _PAUSED, _STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED

# (from, to) → steps. Asking for the same state again changes nothing, with one exception:
# a stop is carried out again, for it also ends what failed half-way.
STEPS: Final[dict[tuple[TargetState, TargetState], tuple[Step, ...]]] = {
    (_STARTED, _STARTED): (),
    (_STARTED, _PAUSED): (Step.HOLD,),
    (_STARTED, _STOPPED): (Step.END,),
    (_PAUSED, _STARTED): (Step.RESUME,),
    (_PAUSED, _PAUSED): (),
    (_PAUSED, _STOPPED): (Step.END,),
    (_STOPPED, _STARTED): (Step.BEGIN,),
    (_STOPPED, _PAUSED): (),
    (_STOPPED, _STOPPED): (Step.END,),
}
