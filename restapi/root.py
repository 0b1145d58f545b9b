"""The worker itself: who it is and whether it works (KIP-1017)."""

from collections.abc import Callable

from fastapi import APIRouter, Response

from connector.runtime.herder import Herder
from connector.runtime.startup import Startup
from restapi.models import ServerInfo, WorkerStatus

_PING = 10.0  # seconds


def root(info: Callable[[], ServerInfo]) -> APIRouter:
    """Return the route of the worker's identity."""
    router = APIRouter()

    @router.get("/")
    def server_info() -> ServerInfo:
        return info()

    return router


def health(herder: Herder, startup: Startup) -> APIRouter:
    """Return the route for probes."""
    router = APIRouter()

    @router.get("/health")
    def worker_status(response: Response) -> WorkerStatus:
        if not startup.ready:
            response.status_code = 503
            text = f"Worker is still starting up. {startup.summary()}".rstrip()
            return WorkerStatus(status="starting", message=text)
        if not herder.responds(_PING):
            response.status_code = 500
            text = (
                "Worker was unable to handle this request and may be unable to handle other "
                "requests."
            )
            return WorkerStatus(status="unhealthy", message=text)
        text = "Worker has completed startup and is ready to handle requests."
        return WorkerStatus(status="healthy", message=text)

    return router
