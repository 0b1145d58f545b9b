"""The composition root: builds one worker from its files, runs and stops it.

Threads: the main thread waits for signals; each listener and each running task has a thread;
commands that may take long run in threads of their own.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from connector import logs, native
from connector.errors import ConfigError, MillraceError, NotFoundError
from connector.kafka.config import client_config, client_settings
from connector.kafka.topics import Topics
from connector.metrics import WorkerMetrics
from connector.plugin import Plugins
from connector.plugin_table import CONNECT_VERSION, ROWS, PluginRow, PluginTable, installed_rows
from connector.properties import ConnectorFile, read_connector, read_properties
from connector.version import VERSION
from connector.worker.claims import Claims
from connector.worker.config_providers import Providers, create_providers
from connector.worker.config_store import ConfigStore
from connector.worker.connector_config import check_converters
from connector.worker.herder import Herder
from connector.worker.instance import WorkerContext
from connector.worker.launcher import Launcher
from connector.worker.listeners import access_warnings, advertised_listener, worker_id
from connector.worker.offsets.log_store import LogOffsetStore
from connector.worker.offsets.stores import OffsetStores
from connector.worker.startup import Startup, Store
from connector.worker.status_store import StatusStore
from connector.worker.storage.worker_storage import connector_offsets_log, open_storage
from connector.worker.validation import ConnectorValidator
from connector.worker.worker_config import WorkerConfig, parse_worker_config, unknown_keys
from restapi.app import ApiContext
from restapi.models import InitialState, ServerInfo
from restapi.server import bind_all, open_servers

_log = logging.getLogger(__name__)

EXIT_CONFIG: Final = 2
EXIT_START: Final = 1
EXIT_CONNECTOR: Final = 3
_LONGEST_STOP: Final = 7.0  # seconds for the tasks
_LONGEST_END: Final = 8.0  # seconds for tasks and storage; with the listeners it stays below 10
_PREFIX: Final = "CONNECT_"


@dataclass(frozen=True, slots=True)
class Files:
    """What the command line names."""

    worker: Path | None
    connectors: tuple[Path, ...] = ()
    log_level: str = "INFO"


def run(
    files: Files, environment: Mapping[str, str] = os.environ, rows: Sequence[PluginRow] = ROWS
) -> int:
    """Run a worker until it is stopped; return the exit code of the process."""
    try:
        logs.set_up(files.log_level)
        properties = _properties(files.worker, environment)
        providers = create_providers(properties, environment)
        logs.hide_secrets(providers.redact)
        config = parse_worker_config(providers.resolve(properties))
        plugins = PluginTable([*rows, *installed_rows()])
        check_converters(config.values, config.under, plugins)
        connectors = [read_connector(path) for path in files.connectors]
        daemon = Daemon(config, providers, plugins)
    except (ConfigError, NotFoundError) as error:
        place = f"{files.worker}: " if files.worker else ""
        sys.stderr.write(f"millrace: {place}{error}\n")
        return EXIT_CONFIG
    for key in unknown_keys(properties):
        _log.warning("The configuration '%s' was supplied but isn't a known config.", key)
    return daemon.run(connectors)


def _properties(path: Path | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Read the worker file; ``CONNECT_*`` variables, as container images take them, win."""
    properties = read_properties(path) if path else {}
    if path is None and not any(name.startswith(_PREFIX) for name in environment):
        raise ConfigError("Name a worker file, or set CONNECT_* variables.")
    for name, value in environment.items():
        if name.startswith(_PREFIX):
            properties[_key(name.removeprefix(_PREFIX))] = value
    return properties


def _key(name: str) -> str:
    """Turn ``BOOTSTRAP_SERVERS`` into ``bootstrap.servers``; ``__`` is ``_``, ``___`` is ``-``."""
    marked = name.lower().replace("___", "\0").replace("__", "\1")
    return marked.replace("_", ".").replace("\0", "-").replace("\1", "_")


class ClusterId:
    """The id of the cluster, read at the start."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self.value: str | None = None

    def open(self) -> None:
        """Read the id from the broker; raises as `Topics.cluster_id` does."""
        self.value = self._topics.cluster_id()


class Daemon:
    """One worker, built from its configuration.

    :raises ConfigError: a listener, client or policy cannot be used as configured.
    """

    def __init__(self, config: WorkerConfig, providers: Providers, plugins: Plugins) -> None:
        self._exit_code = 0
        sockets = bind_all(config.listeners)
        listeners = [listener for listener, _ in sockets]
        self._warnings = access_warnings(listeners, config.admin_listeners or (), config.properties)
        self._address = advertised_listener(listeners, config.properties)
        self._storage = open_storage(config, partial(self._exit_with, EXIT_START))
        configs = ConfigStore(self._storage.configs)
        statuses = StatusStore(self._storage.statuses, _milliseconds)
        offsets = LogOffsetStore(self._storage.offsets)
        offset_stores = OffsetStores(offsets, partial(connector_offsets_log, config), configs)
        metrics = WorkerMetrics()
        claims = Claims()
        context = WorkerContext(
            worker_id(self._address),
            configs,
            statuses,
            plugins,
            providers,
            Launcher(config, plugins, providers, offset_stores, metrics, claims),
            config.seconds("task.shutdown.graceful.timeout.ms"),
            config["topic.tracking.enable"],
        )
        self._grace = context.grace
        self._herder = Herder(
            context, ConnectorValidator(config, plugins, providers, claims), offset_stores
        )
        metrics.show_states(self._herder.answers)
        admin = client_config(client_settings(config.properties, "admin"), "admin")
        self._cluster = ClusterId(Topics(admin))
        stores: list[Store] = [self._cluster, configs, statuses, offsets]
        self._startup = Startup(self._storage, stores, self._herder)
        levels = logs.LogLevels()
        api = ApiContext(config, plugins, self._startup, levels, self._info, metrics.render)
        self._servers = open_servers(config, sockets, self._herder, api)

    def run(self, connectors: Sequence[ConnectorFile]) -> int:
        """Serve until SIGTERM or SIGINT; return the exit code."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # before any thread: all inherit it
        for server in self._servers:
            server.start()
        threading.Thread(
            target=self._start, args=(connectors,), name="startup", daemon=True
        ).start()
        signal.sigwait(_SIGNALS)
        self._stop()
        return self._exit_code

    def _start(self, connectors: Sequence[ConnectorFile]) -> None:
        code, what = EXIT_START, "The worker cannot start"
        try:
            self._startup.run()
            for file in connectors:
                code, what = EXIT_CONNECTOR, file.path
                self._submit(file)
        except Exception as error:  # noqa: BLE001 — no caller waits for it: the worker ends
            self._exit_with(code, f"{what}: {_reason(error)}")
            return
        for warning in self._warnings:
            _log.warning("%s", warning)
        if not native.AVAILABLE:
            _log.info(
                "The native row core is not built from these sources, or off: "
                "Python reads the rows, which is slower."
            )
        _log.info("Ready: REST API at %s", self._address)

    def _exit_with(self, code: int, reason: str) -> None:
        _log.critical("%s", reason)
        self._exit_code = code
        os.kill(os.getpid(), signal.SIGTERM)

    def _submit(self, file: ConnectorFile) -> None:
        """Create a connector of the command line, or update its configuration.

        :raises ConfigError: it is invalid.
        """
        config = {**file.config, "name": file.config.get("name", file.name)}
        names = self._herder.answers.names()
        if file.name not in names and file.initial_state is not None:
            state = InitialState(file.initial_state.upper())
            self._herder.create(file.name, config, state.target)
        elif file.name not in names or self._herder.answers.config(file.name) != config:
            self._herder.put_config(file.name, config)

    def _stop(self) -> None:
        """Stop everything, tasks first, within ten seconds."""
        _log.info("Stopping.")
        deadline = time.monotonic() + _LONGEST_END
        clean = self._herder.stop(min(self._grace + 1, _LONGEST_STOP))
        self._storage.close(max(0.0, deadline - time.monotonic()))
        for server in self._servers:
            server.stop(1.0)
        _log.info("Stopped.")
        if not clean:  # an abandoned task must not keep the process alive
            logging.shutdown()
            os._exit(self._exit_code)

    def _info(self) -> ServerInfo:
        commit = f"millrace-{VERSION}"
        return ServerInfo(
            version=CONNECT_VERSION, commit=commit, kafka_cluster_id=self._cluster.value
        )


_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def _reason(error: Exception) -> str:
    """Describe why the worker ends; an error that is not ours with the place where it occurred."""
    if isinstance(error, MillraceError):
        return f"{error} {error.remedy}".rstrip()
    _log.error("Unexpected error.", exc_info=error)
    return f"{type(error).__name__}: {error}"


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000
