"""Tasks of a connector."""

from fastapi import APIRouter

from connector.worker.herder import Herder
from connector.worker.rest_entities import TaskInfo, TaskState
from restapi.body import ConnectRoute
from restapi.models import Name, TaskNumber


def tasks(herder: Herder) -> APIRouter:
    """Return the routes of tasks."""
    router = APIRouter(prefix="/connectors/{name}/tasks", route_class=ConnectRoute)

    @router.get("")
    def list_tasks(name: Name) -> list[TaskInfo]:
        return herder.answers.tasks(name)

    @router.get("/{task}/status", response_model_exclude_none=True)
    def status(name: Name, task: TaskNumber) -> TaskState:
        return herder.answers.task_status(name, task)

    @router.post("/{task}/restart", status_code=204)
    def restart(name: Name, task: TaskNumber) -> None:
        herder.restart_task(name, task)

    return router
