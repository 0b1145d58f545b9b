"""The worker itself: who it is and whether it works (KIP-1017)."""

from collections.abc import Callable

from fastapi import APIRouter, Response

from connector.worker.herder import Herder
from connector.worker.startup import Startup
from restapi.models import ServerInfo, WorkerStatus
from restapi.probes import ProbeThreads

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

    threads = ProbeThreads()

    @router.get("/health")
    async def worker_status(response: Response) -> WorkerStatus:
        response.status_code, status = await threads.run(lambda: _health(herder, startup))
        return status

    return router


def _health(herder: Herder, startup: Startup) -> tuple[int, WorkerStatus]:
    if not startup.ready:
        text = f"Worker is still starting up. {startup.summary()}".rstrip()
        return 503, WorkerStatus(status="starting", message=text)
    if not herder.responds(_PING):
        text = (
            "Worker was unable to handle this request and may be unable to handle other requests."
        )
        return 500, WorkerStatus(status="unhealthy", message=text)
    text = "Worker has completed startup and is ready to handle requests."
    text = " ".join([text, *herder.answers.faults()])
    return 200, WorkerStatus(status="healthy", message=text)
