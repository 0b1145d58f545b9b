"""The herder: the commands of the REST API for connectors.

A command that changes a connector holds that connector's lock, so the commands of one connector
run one after the other, and those of different connectors at the same time. Each runs in a thread
of its own, and the request fails after a timeout.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from connector.errors import AlreadyExistsError, ConfigError, MillraceError, NotFoundError
from connector.plugin import Offset, OffsetStore, Partition
from connector.worker import offset_changes
from connector.worker.instance import ConnectorInstance, WorkerContext
from connector.worker.instances import ConnectorInstances
from connector.worker.offsets.stores import OffsetStores, offsets_settings
from connector.worker.requests import Stages, run_in_background, run_with_timeout
from connector.worker.rest_answers import RestAnswers
from connector.worker.rest_entities import ConfigInfos, ConnectorInfo, ConnectorStateInfo
from connector.worker.restart import RestartPlan, plan_restart, show_plan, start_planned
from connector.worker.running_tasks import RunningTasks
from connector.worker.state import ACTIONS, STATE_OF_TARGET, State, TargetState
from connector.worker.validation import ConnectorValidator

ConnectorConfig = Mapping[str, str | None]

_log = logging.getLogger(__name__)

REQUEST_TIMEOUT: Final = 90.0
_UNKNOWN: Final = "Unknown connector: {}"
_INVALID: Final = (
    "Connector configuration is invalid and contains the following {} error(s):\n{}\n"
    "You can also find the above list of errors at the endpoint "
    "`/connector-plugins/{{connectorType}}/config/validate`"
)


class StaleConfigError(MillraceError):
    """The configuration was changed at the same time."""


class Herder:
    """The connectors of one worker; ``answers`` and ``tasks`` are for requests that never wait."""

    def __init__(
        self,
        context: WorkerContext,
        validator: ConnectorValidator,
        offsets: OffsetStores,
        timeout: float = REQUEST_TIMEOUT,
    ) -> None:
        self.answers = RestAnswers(context.configs, context.statuses, context.plugins)
        self._context = context
        self._configs = context.configs
        self._validator = validator
        self._offsets = offsets
        self._timeout = timeout
        self._instances = ConnectorInstances(context, timeout)
        self.tasks = RunningTasks(self._instances)

    def start(self) -> None:
        """Start the stored connectors by their target states, each in a thread: one may block."""
        for name in self._configs.names():
            run_in_background(f"start-{name}", partial(self._apply_target_state, name))

    def _apply_target_state(self, name: str) -> None:
        with self._instances.existing(name) as instance:
            instance.apply_target_state()

    def stop(self, timeout: float) -> bool:
        """Stop all tasks at the same time; False when some had to be abandoned."""
        return self._instances.stop(timeout)

    def responds(self, timeout: float) -> bool:
        """Return whether the herder answers within ``timeout`` seconds."""
        return self._instances.responds(timeout)

    # Configurations

    def validate(self, config: ConnectorConfig) -> ConfigInfos:
        """Report on a configuration; raises ConfigError without a known class."""
        return run_with_timeout(
            lambda stages: self._validator.validate(config, stages), self._timeout
        )

    def create(
        self, name: str, config: ConnectorConfig, target: TargetState = TargetState.STARTED
    ) -> ConnectorInfo:
        """Create a connector; its task may still be starting when this returns.

        :raises ConfigError: the configuration has errors.
        :raises AlreadyExistsError: the name is taken.
        """
        full = _add_name(name, config)

        def create(stages: Stages) -> ConnectorInfo:
            self._refuse_errors(full, stages)
            with self._instances.exclusive(name) as instance:
                if self._configs.get(name) is not None:
                    raise AlreadyExistsError(f"Connector {name} already exists")
                self._add(instance, full, target, stages)
                return self.answers.info(name)

        return run_with_timeout(create, self._timeout)

    def put_config(self, name: str, config: ConnectorConfig) -> tuple[bool, ConnectorInfo]:
        """Create or change a connector; return whether it was created, and its description."""
        full = _add_name(name, config)

        def put(stages: Stages) -> tuple[bool, ConnectorInfo]:
            self._refuse_errors(full, stages)
            with self._instances.exclusive(name) as instance:
                created = self._configs.get(name) is None
                if created:
                    self._add(instance, full, TargetState.STARTED, stages)
                else:
                    self._change(instance, full, stages)
                return created, self.answers.info(name)

        return run_with_timeout(put, self._timeout)

    def patch_config(self, name: str, patch: ConnectorConfig) -> ConnectorInfo:
        """Change some keys of a configuration; null removes a key."""

        def change(stages: Stages) -> ConnectorInfo:
            old = self.answers.stored(name).config
            merged = {**old, **patch}
            full = _add_name(name, {key: merged[key] for key in merged if merged[key] is not None})
            self._refuse_errors(full, stages)
            with self._instances.existing(name) as instance:
                if self.answers.stored(name).config != old:
                    raise StaleConfigError(
                        "Cannot complete request momentarily due to stale configuration "
                        "(typically caused by a concurrent config change)"
                    )
                self._change(instance, full, stages)
                return self.answers.info(name)

        return run_with_timeout(change, self._timeout)

    def delete(self, name: str) -> None:
        """Remove a connector; its offsets stay."""

        def delete(stages: Stages) -> None:
            with self._instances.existing(name) as instance:
                self._configs.remove(name)
                with stages.begin(f"stopping connector {name}"):
                    instance.stop_task()
                self._context.statuses.remove(name)
                self._configs.put_expected_partition(name, None)  # stored while the task stopped
                self._instances.remove(instance)

        run_with_timeout(delete, self._timeout)

    def _refuse_errors(self, config: ConnectorConfig, stages: Stages) -> None:
        infos = self._validator.validate(config, stages)
        errors = [error for info in infos.configs for error in info.value.errors]
        if errors:
            raise ConfigError(_INVALID.format(len(errors), "\n".join(errors)))
        for key in self._validator.unknown_keys(config):
            _log.warning(
                "Connector %s: the configuration key %s is not known.", config["name"], key
            )

    def _add(
        self,
        instance: ConnectorInstance,
        config: ConnectorConfig,
        target: TargetState,
        stages: Stages,
    ) -> None:
        self._configs.put(instance.name, config, target)
        with stages.begin("starting the connector"):
            instance.apply_target_state()

    def _change(self, instance: ConnectorInstance, config: ConnectorConfig, stages: Stages) -> None:
        changed = self.answers.stored(instance.name).config != config
        self._configs.put(instance.name, config, None)
        with stages.begin(f"restarting connector {instance.name}"):
            instance.reconfigure(changed=changed)

    # States

    def set_target(self, name: str, target: TargetState) -> None:
        """Store a target state and start, pause or stop the connector; idempotent."""

        def change(stages: Stages) -> None:
            with self._instances.existing(name, "Unknown connector {}") as instance:
                old = self.answers.stored(name).target
                if old is not target:
                    self._configs.put_target(name, target)
                with stages.begin(f"bringing connector {name} to the state {target}"):
                    for action in ACTIONS[old, target]:
                        instance.run_action(action)
                instance.show_target_state(target)

        run_with_timeout(change, self._timeout)

    def restart(
        self, name: str, *, include_tasks: bool, only_failed: bool
    ) -> ConnectorStateInfo | None:
        """Restart a connector, in the background with ``include_tasks`` or ``only_failed``.

        Returns the status at the start of such a restart, None for the connector alone.

        :raises StartError: the connector alone cannot start.
        """
        if not include_tasks and not only_failed:
            run_with_timeout(
                lambda _: self._restart(name, RestartPlan(connector=True, tasks=())), self._timeout
            )
            return None
        with self._instances.existing(name, _UNKNOWN) as instance:
            status = self._context.statuses.connector(name)
            if status is None:
                raise NotFoundError(f"Status for connector {name} not found")
            tasks = self._context.statuses.tasks(name)
            plan = plan_restart(status, tasks, include_tasks=include_tasks, only_failed=only_failed)
            answer = show_plan(self.answers.status(name), plan)
            if plan.connector:
                instance.set_status(State.RESTARTING)
            if plan.tasks:
                instance.set_task_status(State.RESTARTING)
        run_in_background(f"restart-{name}", partial(self._restart, name, plan))
        return answer

    def restart_task(self, name: str, task: int) -> None:
        """Restart one task.

        :raises StartError: it cannot start.
        """

        def restart(stages: Stages) -> None:
            with self._instances.existing(name, _UNKNOWN):
                if not 0 <= task < len(self.answers.stored(name).tasks):
                    raise NotFoundError(f"Unknown task: {name}-{task}")
            with stages.begin(f"restarting task {name}-{task}"):
                self._restart(name, RestartPlan(connector=False, tasks=(task,)))

        run_with_timeout(restart, self._timeout)

    def _restart(self, name: str, plan: RestartPlan) -> None:
        with self._instances.existing(name, _UNKNOWN) as instance:
            stored = self.answers.stored(name)
            started = stored.target is TargetState.STARTED
            if plan.tasks:
                instance.stop_task()
                instance.set_task_status(State.RESTARTING if started else State.PAUSED)
            if started:
                start_planned(instance, plan)
            elif plan.connector:
                instance.set_status(STATE_OF_TARGET[stored.target])

    # Offsets and topics

    def offsets(self, name: str) -> Sequence[tuple[Partition, Offset]]:
        """Return the offsets of a connector, whatever its state."""
        return run_with_timeout(lambda _: self._store(name).items(name), self._timeout)

    def alter_offsets(self, name: str, offsets: Sequence[tuple[Partition, Offset | None]]) -> str:
        """Replace offsets of a stopped connector; return the message for the user."""
        return self._change_offsets(name, lambda store: offset_changes.alter(store, name, offsets))

    def reset_offsets(self, name: str) -> str:
        """Remove the offsets of a stopped connector; return the message for the user."""
        return self._change_offsets(name, lambda store: offset_changes.reset(store, name))

    def _change_offsets(self, name: str, change: Callable[[OffsetStore], str]) -> str:
        def act(stages: Stages) -> str:
            with self._instances.existing(name) as instance:
                stopped = self.answers.stored(name).target is TargetState.STOPPED
                offset_changes.refuse_unless_stopped(name, stopped=stopped and instance.idle)
                with stages.begin(f"modifying offsets for connector {name}"):
                    return change(self._store(name))

        return run_with_timeout(act, self._timeout)

    def _store(self, name: str) -> OffsetStore:
        config = offsets_settings(self.answers.stored(name).config)
        return self._offsets.store_of(self._context.providers.resolve(config))

    def reset_topics(self, name: str) -> None:
        """Reset the active topics of a connector."""
        self._context.statuses.reset_topics(name)


def _add_name(name: str, config: ConnectorConfig) -> dict[str, str | None]:
    """Return the configuration with its name in it."""
    own = config.get("name")
    if own is not None and own != name:
        raise ConfigError(
            f"Connector name configuration ({own}) doesn't match connector name in the URL ({name})"
        )
    return {**config, "name": name}
