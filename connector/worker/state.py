"""Target states, states and the actions between target states, as tables.

Users request the *target state*, which is stored with the configuration. REST clients see the
*state* of a connector and of its task.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class TargetState(StrEnum):
    """The state that users request of a connector."""

    STARTED = "STARTED"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"


class State(StrEnum):
    """The state of a connector or a task."""

    UNASSIGNED = "UNASSIGNED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    FAILED = "FAILED"
    RESTARTING = "RESTARTING"
    STOPPED = "STOPPED"


class StateAction(StrEnum):
    """One action of the change from a target state to another."""

    START = "generate the task's configuration, start the task"
    RESUME = "resume the task; start it if none runs"
    PAUSE = "pause the task, which keeps its connections"
    STOP = "stop the task, remove its configuration"


# The state of a connector whose target is reached.
STATE_OF_TARGET: Final = {
    TargetState.STARTED: State.RUNNING,
    TargetState.PAUSED: State.PAUSED,
    TargetState.STOPPED: State.STOPPED,
}

_STARTED, _PAUSED, _STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED

# (from, to) → actions. The same target state again changes nothing, with one exception: a stop
# runs again, since it also ends what failed half-way.
ACTIONS: Final[dict[tuple[TargetState, TargetState], tuple[StateAction, ...]]] = {
    (_STARTED, _STARTED): (),
    (_STARTED, _PAUSED): (StateAction.PAUSE,),
    (_STARTED, _STOPPED): (StateAction.STOP,),
    (_PAUSED, _STARTED): (StateAction.RESUME,),
    (_PAUSED, _PAUSED): (),
    (_PAUSED, _STOPPED): (StateAction.STOP,),
    (_STOPPED, _STARTED): (StateAction.START,),
    (_STOPPED, _PAUSED): (),
    (_STOPPED, _STOPPED): (StateAction.STOP,),
}
