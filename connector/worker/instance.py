"""One connector of the worker: its task, and the actions that change its state."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from connector.errors import ConfigError, MillraceError, NotFoundError, trace_of
from connector.plugin import Plugins, ReportedState, Task
from connector.worker.config_providers import ProviderError, Providers
from connector.worker.config_store import ConfigStore, StoredConnector
from connector.worker.launcher import Launcher
from connector.worker.state import STATE_OF_TARGET, State, StateAction, TargetState
from connector.worker.status_store import Status, StatusStore

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What all connectors of one worker share. ``grace``: seconds that a task has to stop."""

    worker_id: str
    configs: ConfigStore
    statuses: StatusStore
    plugins: Plugins
    providers: Providers
    launcher: Launcher
    grace: float
    track_topics: bool = True


class StartError(MillraceError):
    """A connector or a task cannot start; the trace is in its status."""


class _Run:
    """One run of a task, which passes on what the task reports until it is replaced."""

    def __init__(self, instance: ConnectorInstance) -> None:
        self._instance = instance
        self.task: Task | None = None
        self.started = False
        self.failed = False

    def report(self, state: ReportedState, trace: str | None) -> None:
        """Set the status of the task; ignored once the run is over."""
        self._instance.set_reported_state(self, State(state), trace)

    def add_topics(self, topics: Iterable[str]) -> None:
        """Add to the active topics of the connector; ignored once the run is over."""
        self._instance.add_topics(self, topics)


class ConnectorInstance:
    """A connector by name. The caller of a method that changes it holds its ``lock``."""

    def __init__(self, name: str, context: WorkerContext) -> None:
        self.name = name
        self.lock = threading.Lock()
        self._context = context
        self._run: _Run | None = None
        self._reporting = threading.Lock()
        self._version: str | None = None

    @property
    def idle(self) -> bool:
        """Whether no task runs."""
        return self._run is None

    @property
    def _has_started(self) -> bool:
        """Whether the task came to run, even if it has failed since."""
        return self._run is not None and self._run.started

    @property
    def running_task(self) -> Task | None:
        """The task, unless it is stopped or has failed. Needs no lock."""
        run = self._run
        return None if run is None or run.failed else run.task

    def apply_target_state(self) -> None:
        """Start what the target state requires, after creation or a restart of the worker."""
        stored = self._stored()
        self._version = _version(self._context.plugins, stored.config)
        if not self.idle:
            return  # a request came before the start of this connector
        self._context.statuses.remove_tasks(self.name)
        if stored.target is TargetState.STARTED:
            self.start()
            return
        self.set_status(STATE_OF_TARGET[stored.target])
        if stored.tasks and stored.target is TargetState.STOPPED:
            self._context.configs.put_tasks(self.name, [])  # the worker ended during the stop
        elif stored.tasks:
            self.set_task_status(State.PAUSED)

    def reconfigure(self, *, changed: bool) -> None:
        """Restart the connector; its task, too, if the configuration changed or it never ran."""
        stored = self._stored()
        self._version = _version(self._context.plugins, stored.config)
        if changed or not self._has_started:
            self.stop_task()
        if stored.target is not TargetState.STARTED:
            self.set_status(STATE_OF_TARGET[stored.target])
            return
        if self.idle and stored.tasks:
            self.set_task_status(State.UNASSIGNED)
        self.start()

    def run_action(self, action: StateAction) -> None:
        """Run one action of a change between target states."""
        run = self._run
        if action is StateAction.START or (action is StateAction.RESUME and run is None):
            self.start()
        elif action is StateAction.STOP:
            self.stop_task()
            self._context.configs.put_tasks(self.name, [])
            self._context.statuses.remove_tasks(self.name)
        elif run is not None and run.task is not None and not run.failed:
            (run.task.pause if action is StateAction.PAUSE else run.task.resume)()

    def start(self) -> None:
        """Start the connector, and its task if none runs; failures become their statuses."""
        with suppress(StartError):
            self.start_connector()
            if self.idle:
                self.start_task()

    def start_connector(self) -> None:
        """Start the connector without its task: class, secrets, task configuration.

        :raises StartError: that fails, which becomes the status of the connector.
        """
        stored = self._stored()
        try:
            connector = self._context.plugins.connector(stored.config["connector.class"] or "")
            self._context.providers.resolve(stored.config)
            task = {**stored.config, "task.class": connector.task_class}
            if stored.tasks != [task]:
                self._context.configs.put_tasks(self.name, [task])
        except Exception as error:
            _log.error("Connector %s could not start: %s", self.name, error)
            self.set_status(State.FAILED, trace_of(error))
            raise _start_error(error, f"connector: {self.name}") from error
        self.set_status(State.RUNNING)

    def start_task(self) -> None:
        """Start a new run of the task; the run before it has to be over.

        :raises StartError: that fails, which becomes the status of the task.
        """
        run = self._run = _Run(self)
        try:
            launcher = self._context.launcher
            config = self._stored().config
            run.task = launcher.create_task(self.name, config, run.report, run.add_topics)
            run.task.start()
            run.started = True
        except Exception as error:
            self.set_reported_state(run, State.FAILED, trace_of(error))
            raise _start_error(error, f"task: {self.name}-0") from error

    def stop_task(self) -> bool:
        """Stop the task; False when it had to be abandoned. Its status stays as it is."""
        with self._reporting:
            run, self._run = self._run, None
        try:
            return self._stop_run(run)
        finally:
            self._context.launcher.claims.release(self.name)

    def _stop_run(self, run: _Run | None) -> bool:
        if run is None or run.task is None:
            return True
        try:
            stopped = run.task.stop(self._context.grace)
        except Exception:  # noqa: BLE001 — whatever the error, the task is over
            _log.exception("Task %s-0 failed while it was stopped.", self.name)
            return True
        if not stopped:
            _log.error("Task %s-0 did not stop in time and was abandoned.", self.name)
        return stopped

    def show_target_state(self, target: TargetState) -> None:
        """Set the status to that of the target state; what has failed can only be stopped."""
        status = self._context.statuses.connector(self.name)
        failed = status is not None and status.state is State.FAILED
        if not failed or target is TargetState.STOPPED:
            self.set_status(STATE_OF_TARGET[target])

    def unassign(self) -> None:
        """Set the status to UNASSIGNED: the worker stops."""
        if self._context.configs.get(self.name) is None:
            return
        self.set_status(State.UNASSIGNED)
        if self._context.statuses.tasks(self.name):
            self.set_task_status(State.UNASSIGNED)

    def set_status(self, state: State, trace: str | None = None) -> None:
        """Set the status of the connector."""
        trace = self._redact(trace)
        status = Status(state, self._context.worker_id, trace, self._version)
        self._context.statuses.put_connector(self.name, status)

    def set_task_status(self, state: State, trace: str | None = None) -> None:
        """Set the status of the task."""
        trace = self._redact(trace)
        status = Status(state, self._context.worker_id, trace, self._version)
        self._context.statuses.put_task(self.name, 0, status)

    def _redact(self, trace: str | None) -> str | None:
        return None if trace is None else self._context.providers.redact(trace)

    def add_topics(self, run: _Run, topics: Iterable[str]) -> None:
        """Add to the active topics of the connector, unless the run is over."""
        if self._context.track_topics and self._run is run:
            self._context.statuses.add_topics(self.name, 0, topics)

    def set_reported_state(self, run: _Run, state: State, trace: str | None) -> None:
        """Set the status of the task as it reports it, unless the run is over."""
        with self._reporting:
            if self._run is not run:
                return
            run.failed = state is State.FAILED
            self.set_task_status(state, trace)
        if state is State.FAILED:
            self._context.launcher.claims.release(self.name)
            _log.error("Task %s-0 failed: %s", self.name, trace)
        else:
            _log.info("Task %s-0 is %s.", self.name, state)

    def _stored(self) -> StoredConnector:
        stored = self._context.configs.get(self.name)
        assert stored is not None, "whoever holds the lock has seen the configuration"
        return stored


def _start_error(error: Exception, what: str) -> StartError:
    """Return the error of a request in Connect's words: the provider's, or what failed."""
    known = isinstance(error, ProviderError)
    return StartError(str(error) if known else f"Failed to start {what}")


def _version(plugins: Plugins, config: Mapping[str, str | None]) -> str | None:
    try:
        return plugins.info(config.get("connector.class") or "", "source").version
    except (ConfigError, NotFoundError):
        return None
