"""The REST API as one app."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from fastapi import APIRouter, Depends, FastAPI, params
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from connector.logs import LogLevels
from connector.plugin import Plugins
from connector.worker.herder import Herder
from connector.worker.origins import ANY, parse_origins
from connector.worker.origins import KEY as ORIGINS
from connector.worker.startup import Startup
from connector.worker.worker_config import WorkerConfig
from restapi import errors
from restapi.configs import configs
from restapi.connectors import connectors, states
from restapi.dialect import ConnectDialect
from restapi.guard import RequestGuard
from restapi.headers import ResponseHeaders, parse_rules
from restapi.loggers import loggers
from restapi.metrics import metrics
from restapi.models import ServerInfo
from restapi.offsets import offsets
from restapi.plugins import plugins
from restapi.root import health, root
from restapi.signals import signals
from restapi.snapshots import snapshots
from restapi.tasks import tasks
from restapi.topics import topics

_TIMEOUT: Final = 90.0
_METHODS: Final = "GET,POST,HEAD"


@dataclass(frozen=True, slots=True)
class ApiContext:
    """What the REST API needs in addition to the herder."""

    worker: WorkerConfig
    plugins: Plugins
    startup: Startup
    levels: LogLevels
    info: Callable[[], ServerInfo]
    metrics: Callable[[], bytes]


def create_app(herder: Herder, api: ApiContext) -> ASGIApp:
    """Build the app of the worker's listeners.

    Requests about connectors wait until the worker has started.
    """
    worker = api.worker
    tracked, resettable = worker["topic.tracking.enable"], worker["topic.tracking.allow.reset"]
    gated = [
        connectors(herder),
        configs(herder),
        states(herder),
        tasks(herder),
        topics(herder, tracked=tracked, resettable=resettable),
        offsets(herder),
        snapshots(herder),
        signals(herder),
    ]
    free = [
        plugins(herder, api.plugins, worker),
        root(api.info),
        health(herder, api.startup),
        metrics(api.metrics),
    ]
    if worker.admin_listeners is None:
        free.append(loggers(api.levels))
    return _app(worker, free, gated, Depends(partial(api.startup.wait, _TIMEOUT)))


def create_admin_app(herder: Herder, api: ApiContext) -> ASGIApp:
    """Build the app of ``admin.listeners``."""
    return _app(api.worker, [health(herder, api.startup), loggers(api.levels)])


def _app(
    worker: WorkerConfig,
    free: Sequence[APIRouter],
    gated: Sequence[APIRouter] = (),
    *gate: params.Depends,
) -> ASGIApp:
    """Join the routers, some behind a gate, and wrap them in the middleware of every answer."""
    app = FastAPI(
        title="Millrace",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        strict_content_type=False,
    )
    errors.install(app)
    for router in free:
        app.include_router(router)
    for router in gated:
        app.include_router(router, dependencies=gate)
    routes = [route for router in [*free, *gated] for route in router.routes]
    wrapped: ASGIApp = ConnectDialect(app, routes)
    origins = parse_origins(worker[ORIGINS])
    if origins is not None:
        methods = worker["access.control.allow.methods"].strip() or _METHODS
        wrapped = CORSMiddleware(
            wrapped,
            allow_origins=["*"] if origins is ANY else (),
            allow_origin_regex=origins.pattern,
            allow_methods=[method.strip() for method in methods.split(",")],
            allow_headers=["*"],
        )
    wrapped = RequestGuard(wrapped, origins, worker["millrace.rest.max.body.bytes"])
    return ResponseHeaders(wrapped, parse_rules(worker["response.http.headers.config"]))
