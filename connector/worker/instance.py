"""One connector at work: its task, if it has one, and the steps that change it."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from connector.errors import ConfigError, NotFoundError, trace_of
from connector.worker.state import REACHED, State, Step, TargetState
from connector.worker.status_store import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from connector.plugin import Plugins, ReportedState, Task
    from connector.worker.config_providers import Providers
    from connector.worker.config_store import ConfigStore, Stored
    from connector.worker.launcher import Launcher
    from connector.worker.status_store import StatusStore

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Workplace:
    """What all connectors of one worker share. ``grace``: seconds a task has to stop."""

    worker_id: str
    configs: ConfigStore
    statuses: StatusStore
    plugins: Plugins
    providers: Providers
    launcher: Launcher
    grace: float
    track_topics: bool = True


class _Run:
    """One run of a task, which passes on what the task reports until it is replaced."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self.task: Task | None = None
        self.failed = False

    def report(self, state: ReportedState, trace: str | None) -> None:
        """Set the status of the task; ignored once the run is over."""
        self._instance.set_reported_state(self, State(state), trace)

    def add_topics(self, topics: Iterable[str]) -> None:
        """Add to the active topics of the connector; ignored once the run is over."""
        self._instance.add_topics(self, topics)


class Instance:
    """A connector by name. ``lock`` is held by whoever calls the methods that change it."""

    def __init__(self, name: str, workplace: Workplace) -> None:
        self.name = name
        self.lock = threading.Lock()
        self._workplace = workplace
        self._run: _Run | None = None
        self._reporting = threading.Lock()
        self._version: str | None = None

    @property
    def idle(self) -> bool:
        """Whether no task runs."""
        return self._run is None

    def bring_up(self) -> None:
        """Do what the target state asks for, after creation or a restart of the worker."""
        stored = self._stored()
        self._version = _version(self._workplace.plugins, stored.config)
        self._workplace.statuses.remove_tasks(self.name)
        if stored.target is TargetState.STARTED:
            self.begin()
            return
        self.show(REACHED[stored.target])
        if stored.tasks:
            self.show_task(State.PAUSED)

    def reconfigure(self) -> None:
        """Go over to a changed configuration."""
        stored = self._stored()
        self._version = _version(self._workplace.plugins, stored.config)
        self.end()
        if stored.target is TargetState.STARTED:
            self.show_task(State.UNASSIGNED)
            self.begin()

    def step(self, step: Step) -> None:
        """Carry out one step between target states."""
        run = self._run
        if step is Step.BEGIN or (step is Step.RESUME and run is None):
            self.begin()
        elif step is Step.END:
            self.end()
            self._workplace.configs.put_tasks(self.name, [])
            self._workplace.statuses.remove_tasks(self.name)
        elif run is not None and run.task is not None and not run.failed:
            (run.task.pause if step is Step.HOLD else run.task.resume)()

    def begin(self) -> None:
        """Start the connector and its task; a failure becomes the status of either."""
        if self.restart_connector():
            self.begin_task()

    def restart_connector(self) -> bool:
        """Start the connector alone: class, secrets, the task's configuration. False = FAILED."""
        stored = self._stored()
        try:
            connector = self._workplace.plugins.connector(stored.config["connector.class"] or "")
            self._workplace.providers.resolve(stored.config)
            task = {**stored.config, "task.class": connector.task_class}
            if stored.tasks != [task]:
                self._workplace.configs.put_tasks(self.name, [task])
        except Exception as error:  # noqa: BLE001 — shown as the status of the connector
            _log.error("Connector %s could not start: %s", self.name, error)
            self.show(State.FAILED, trace_of(error))
            return False
        self.show(State.RUNNING)
        return True

    def begin_task(self) -> None:
        """Start a new run of the task; the run before it has to be over."""
        run = self._run = _Run(self)
        try:
            launcher = self._workplace.launcher
            config = self._stored().config
            run.task = launcher.create_task(self.name, config, run.report, run.add_topics)
            run.task.start()
        except Exception as error:  # noqa: BLE001 — shown as the status of the task
            self.set_reported_state(run, State.FAILED, trace_of(error))

    def end(self) -> bool:
        """Stop the task; False when it had to be abandoned. Its status stays as it is."""
        with self._reporting:
            run, self._run = self._run, None
        try:
            return self._stopped(run)
        finally:
            self._workplace.launcher.claims.release(self.name)

    def _stopped(self, run: _Run | None) -> bool:
        if run is None or run.task is None:
            return True
        try:
            stopped = run.task.stop(self._workplace.grace)
        except Exception:  # noqa: BLE001 — whatever it is, the task is over
            _log.exception("Task %s-0 failed while it was stopped.", self.name)
            return True
        if not stopped:
            _log.error("Task %s-0 did not stop in time and was abandoned.", self.name)
        return stopped

    def reached(self, target: TargetState) -> None:
        """Show the target state as reached, unless the connector failed on the way."""
        status = self._workplace.statuses.connector(self.name)
        failed = status is not None and status.state is State.FAILED
        if not (failed and target is TargetState.STARTED):
            self.show(REACHED[target])

    def unassign(self) -> None:
        """Show that nobody runs the connector: the worker goes away."""
        if self._workplace.configs.get(self.name) is None:
            return
        self.show(State.UNASSIGNED)
        if self._workplace.statuses.tasks(self.name):
            self.show_task(State.UNASSIGNED)

    def show(self, state: State, trace: str | None = None) -> None:
        """Set the status of the connector."""
        trace = self._redacted(trace)
        status = Status(state, self._workplace.worker_id, trace, self._version)
        self._workplace.statuses.put_connector(self.name, status)

    def show_task(self, state: State, trace: str | None = None) -> None:
        """Set the status of the task."""
        trace = self._redacted(trace)
        status = Status(state, self._workplace.worker_id, trace, self._version)
        self._workplace.statuses.put_task(self.name, 0, status)

    def _redacted(self, trace: str | None) -> str | None:
        return None if trace is None else self._workplace.providers.redacted(trace)

    def add_topics(self, run: _Run, topics: Iterable[str]) -> None:
        """Add to the active topics of the connector, unless the run is over."""
        if self._workplace.track_topics and self._run is run:
            self._workplace.statuses.add_topics(self.name, 0, topics)

    def set_reported_state(self, run: _Run, state: State, trace: str | None) -> None:
        """Set the status of the task as it reports it, unless the run is over."""
        with self._reporting:
            if self._run is not run:
                return
            run.failed = state is State.FAILED
            self.show_task(state, trace)
        if state is State.FAILED:
            self._workplace.launcher.claims.release(self.name)
            _log.error("Task %s-0 failed: %s", self.name, trace)
        else:
            _log.info("Task %s-0 is %s.", self.name, state)

    def _stored(self) -> Stored:
        stored = self._workplace.configs.get(self.name)
        assert stored is not None, "whoever holds the lock has seen the configuration"
        return stored


def _version(plugins: Plugins, config: Mapping[str, str | None]) -> str | None:
    try:
        return plugins.info(config.get("connector.class") or "", "source").version
    except (ConfigError, NotFoundError):
        return None
