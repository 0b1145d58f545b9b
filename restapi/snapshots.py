"""The progress of snapshots: an addition to Kafka Connect's API."""

from collections.abc import Callable, Mapping

from fastapi import APIRouter

from connector.worker.herder import Herder
from restapi.body import ConnectRoute
from restapi.models import Name


def snapshots(herder: Herder, progress: Callable[[str], list[Mapping[str, object]]]) -> APIRouter:
    """Return the route of snapshots; ``progress`` gives those of a connector."""
    router = APIRouter(prefix="/connectors/{name}/snapshots", route_class=ConnectRoute)

    @router.get("")
    def list_snapshots(name: Name) -> dict[str, list[Mapping[str, object]]]:
        herder.answers.tasks(name)  # refuses unknown names
        return {"snapshots": progress(name)}

    return router
