"""Metrics in Prometheus' text format."""

from collections.abc import Callable

from fastapi import APIRouter, Response

from restapi.probes import ProbeThreads

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(render: Callable[[], bytes]) -> APIRouter:
    """Return the route of metrics; ``render`` gives their text."""
    router = APIRouter()
    threads = ProbeThreads()

    @router.get("/metrics")
    async def show() -> Response:
        return Response(await threads.run(render), media_type=_TYPE)

    return router
