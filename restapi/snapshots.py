"""The progress of snapshots: an addition to Kafka Connect's API."""

from collections.abc import Mapping, Sequence

from fastapi import APIRouter

from connector.worker.herder import Herder
from restapi.body import ConnectRoute
from restapi.models import Name


def snapshots(herder: Herder) -> APIRouter:
    """Return the route of snapshots."""
    router = APIRouter(prefix="/connectors/{name}/snapshots", route_class=ConnectRoute)

    @router.get("")
    def list_snapshots(name: Name) -> dict[str, Sequence[Mapping[str, object]]]:
        herder.answers.tasks(name)  # refuses unknown names
        return {"snapshots": herder.tasks.snapshots(name)}

    return router
