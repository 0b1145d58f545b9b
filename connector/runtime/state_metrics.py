"""States of connectors and tasks in Prometheus' text format, read when they are asked for.

So a deleted connector leaves no series behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from connector.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from connector.runtime.entities import ConnectorStateInfo
    from connector.runtime.views import Views

_HEADER: Final = {
    "millrace_connector_state": "State of each connector: 1 for the state it is in.",
    "millrace_task_state": "State of each task: 1 for the state it is in.",
}
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def render_states(views: Views) -> bytes:
    """Return one gauge a connector and one a task, with the state as a label."""
    statuses = list(_statuses(views))
    lines = _head("millrace_connector_state")
    for status in statuses:
        labels = f'connector="{status.name.translate(_ESCAPES)}"'
        lines.append(f'millrace_connector_state{{{labels},state="{status.connector.state}"}} 1')
    lines += _head("millrace_task_state")
    for status in statuses:
        labels = f'connector="{status.name.translate(_ESCAPES)}"'
        lines += [
            f'millrace_task_state{{{labels},task="{task.id}",state="{task.state}"}} 1'
            for task in status.tasks
        ]
    return ("\n".join(lines) + "\n").encode()


def _head(name: str) -> list[str]:
    return [f"# HELP {name} {_HEADER[name]}", f"# TYPE {name} gauge"]


def _statuses(views: Views) -> Iterator[ConnectorStateInfo]:
    for name in views.names():
        try:
            yield views.status(name)
        except NotFoundError:  # deleted meanwhile
            continue
