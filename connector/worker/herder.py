"""The herder: what the REST API can ask of connectors.

Whatever changes a connector holds that connector's lock, so commands for one connector follow
each other while all others go on; each command runs in a thread of its own and is given up
after a time.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from connector.errors import AlreadyExistsError, ConfigError, MillraceError, NotFoundError
from connector.worker import offset_changes
from connector.worker.instances import Instances
from connector.worker.requests import in_background, in_time
from connector.worker.rest_answers import Views
from connector.worker.restart import RestartPlan, plan_restart
from connector.worker.state import STEPS, State, TargetState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from connector.plugin import Offset, OffsetStore, Partition
    from connector.worker.instance import Instance, Workplace
    from connector.worker.offsets.stores import OffsetPlaces
    from connector.worker.requests import Stages
    from connector.worker.rest_entities import ConfigInfos, ConnectorInfo, ConnectorStateInfo
    from connector.worker.validation import Validator

    Config = Mapping[str, str | None]

_log = logging.getLogger(__name__)

REQUEST_TIMEOUT: Final = 90.0
_UNKNOWN: Final = "Unknown connector: {}"
_INVALID: Final = (
    "Connector configuration is invalid and contains the following {} error(s):\n{}\n"
    "You can also find the above list of errors at the endpoint "
    "`/connector-plugins/{{connectorType}}/config/validate`"
)


class StaleConfigError(MillraceError):
    """Someone else changed the configuration meanwhile."""


class Herder:
    """The connectors of one worker; ``views`` answers questions about them."""

    def __init__(
        self,
        workplace: Workplace,
        validator: Validator,
        offsets: OffsetPlaces,
        timeout: float = REQUEST_TIMEOUT,
    ) -> None:
        self.views = Views(workplace.configs, workplace.statuses, workplace.plugins)
        self._workplace = workplace
        self._configs = workplace.configs
        self._validator = validator
        self._offsets = offsets
        self._timeout = timeout
        self._instances = Instances(workplace, timeout)

    def start(self) -> None:
        """Bring up all stored connectors, each in its own thread: one may block."""
        for name in self._configs.names():
            in_background(f"start-{name}", partial(self._bring_up, name))

    def _bring_up(self, name: str) -> None:
        with self._instances.existing(name) as instance:
            instance.bring_up()

    def stop(self, timeout: float) -> bool:
        """Stop all tasks at the same time; False when some had to be abandoned."""
        return self._instances.stop(timeout)

    def responds(self, timeout: float) -> bool:
        """Whether the herder answers within ``timeout`` seconds."""
        return self._instances.responds(timeout)

    # Configurations

    def validate(self, config: Config) -> ConfigInfos:
        """Report on a configuration; raises ConfigError without a known class."""
        return in_time(lambda stages: self._validator.validate(config, stages), self._timeout)

    def create(
        self, name: str, config: Config, target: TargetState = TargetState.STARTED
    ) -> ConnectorInfo:
        """Create a connector; its task may still be starting when this returns.

        :raises ConfigError: the configuration has faults.
        :raises AlreadyExistsError: the name is taken.
        """
        full = _with_name(name, config)

        def create(stages: Stages) -> ConnectorInfo:
            self._refuse_faults(full, stages)
            with self._instances.exclusive(name) as instance:
                if self._configs.get(name) is not None:
                    raise AlreadyExistsError(f"Connector {name} already exists")
                self._add(instance, full, target, stages)
            return self.views.info(name)

        return in_time(create, self._timeout)

    def put_config(self, name: str, config: Config) -> tuple[bool, ConnectorInfo]:
        """Create or change a connector; tell whether it was created."""
        full = _with_name(name, config)

        def put(stages: Stages) -> tuple[bool, ConnectorInfo]:
            self._refuse_faults(full, stages)
            with self._instances.exclusive(name) as instance:
                created = self._configs.get(name) is None
                if created:
                    self._add(instance, full, TargetState.STARTED, stages)
                else:
                    self._change(instance, full, stages)
            return created, self.views.info(name)

        return in_time(put, self._timeout)

    def patch_config(self, name: str, patch: Config) -> ConnectorInfo:
        """Change some keys of a configuration; null removes a key."""

        def change(stages: Stages) -> ConnectorInfo:
            old = self.views.stored(name).config
            merged = {**old, **patch}
            full = _with_name(name, {key: merged[key] for key in merged if merged[key] is not None})
            self._refuse_faults(full, stages)
            with self._instances.existing(name) as instance:
                if self.views.stored(name).config != old:
                    raise StaleConfigError(
                        "Cannot complete request momentarily due to stale configuration "
                        "(typically caused by a concurrent config change)"
                    )
                self._change(instance, full, stages)
            return self.views.info(name)

        return in_time(change, self._timeout)

    def delete(self, name: str) -> None:
        """Remove a connector; its offsets stay."""

        def delete(stages: Stages) -> None:
            with self._instances.existing(name) as instance:
                self._configs.remove(name)
                with stages.begin(f"stopping connector {name}"):
                    instance.end()
                self._workplace.statuses.remove(name)
                self._instances.remove(instance)

        in_time(delete, self._timeout)

    def _refuse_faults(self, config: Config, stages: Stages) -> None:
        infos = self._validator.validate(config, stages)
        faults = [fault for info in infos.configs for fault in info.value.errors]
        if faults:
            raise ConfigError(_INVALID.format(len(faults), "\n".join(faults)))
        for key in self._validator.unknown_keys(config):
            _log.warning(
                "Connector %s: the configuration key %s is not known.", config["name"], key
            )

    def _add(self, instance: Instance, config: Config, target: TargetState, stages: Stages) -> None:
        self._configs.put(instance.name, config, target)
        with stages.begin("starting the connector"):
            instance.bring_up()

    def _change(self, instance: Instance, config: Config, stages: Stages) -> None:
        if self.views.stored(instance.name).config != config:
            self._configs.put(instance.name, config, None)
            with stages.begin(f"restarting connector {instance.name}"):
                instance.reconfigure()

    # States

    def set_target(self, name: str, target: TargetState) -> None:
        """Start, pause or stop a connector and remember that; asking again changes nothing."""

        def change(stages: Stages) -> None:
            with self._instances.existing(name, "Unknown connector {}") as instance:
                old = self.views.stored(name).target
                if old is not target:
                    self._configs.put_target(name, target)
                with stages.begin(f"bringing connector {name} to the state {target}"):
                    for step in STEPS[old, target]:
                        instance.step(step)
                instance.reached(target)

        in_time(change, self._timeout)

    def restart(
        self, name: str, *, include_tasks: bool, only_failed: bool
    ) -> ConnectorStateInfo | None:
        """Restart a connector, in the background when tasks or failures are asked for.

        Returns the status with what is about to restart, None for the connector alone.
        """
        if not include_tasks and not only_failed:
            in_time(
                lambda _: self._restart(name, RestartPlan(connector=True, tasks=())), self._timeout
            )
            return None
        with self._instances.existing(name, _UNKNOWN) as instance:
            status = self._workplace.statuses.connector(name)
            if status is None:
                raise NotFoundError(f"Status for connector {name} not found")
            tasks = self._workplace.statuses.tasks(name)
            plan = plan_restart(status, tasks, include_tasks=include_tasks, only_failed=only_failed)
            if plan.connector:
                instance.show(State.RESTARTING)
            if plan.tasks:
                instance.show_task(State.RESTARTING)
            view = self.views.status(name)
        in_background(f"restart-{name}", partial(self._restart, name, plan))
        return view

    def restart_task(self, name: str, task: int) -> None:
        """Restart one task."""

        def restart(stages: Stages) -> None:
            with self._instances.existing(name, _UNKNOWN):
                if task >= len(self.views.stored(name).tasks):
                    raise NotFoundError(f"Unknown task: {name}-{task}")
            with stages.begin(f"restarting task {name}-{task}"):
                self._restart(name, RestartPlan(connector=False, tasks=(task,)))

        in_time(restart, self._timeout)

    def _restart(self, name: str, plan: RestartPlan) -> None:
        with self._instances.existing(name, _UNKNOWN) as instance:
            stored = self.views.stored(name)
            started = stored.target is TargetState.STARTED
            if plan.tasks:
                instance.end()
                instance.show_task(State.RESTARTING if started else State.PAUSED)
            runs = instance.restart_connector() if plan.connector and started else started
            if not started:
                instance.reached(stored.target)
            elif runs and instance.idle:
                instance.begin_task()

    # Offsets and topics

    def offsets(self, name: str) -> Sequence[tuple[Partition, Offset]]:
        """Return the offsets of a connector, whatever its state."""
        return in_time(lambda _: self._store(name).items(name), self._timeout)

    def alter_offsets(self, name: str, offsets: Sequence[tuple[Partition, Offset | None]]) -> str:
        """Replace offsets of a stopped connector; return the message for the user."""
        return self._with_offsets(name, lambda store: offset_changes.alter(store, name, offsets))

    def reset_offsets(self, name: str) -> str:
        """Remove the offsets of a stopped connector; return the message for the user."""
        return self._with_offsets(name, lambda store: offset_changes.reset(store, name))

    def _with_offsets(self, name: str, change: Callable[[OffsetStore], str]) -> str:
        def act(stages: Stages) -> str:
            with self._instances.existing(name) as instance:
                stopped = self.views.stored(name).target is TargetState.STOPPED
                offset_changes.refuse_unless_stopped(name, stopped=stopped and instance.idle)
                with stages.begin(f"modifying offsets for connector {name}"):
                    return change(self._store(name))

        return in_time(act, self._timeout)

    def _store(self, name: str) -> OffsetStore:
        topic = self.views.stored(name).config.get("offsets.storage.topic")
        return self._offsets.of(self._workplace.providers.resolve({"offsets.storage.topic": topic}))

    def reset_topics(self, name: str) -> None:
        """Forget the topics a connector has written to."""
        self._workplace.statuses.reset_topics(name)


def _with_name(name: str, config: Config) -> dict[str, str | None]:
    """Return the configuration with its name in it."""
    own = config.get("name", name)
    if own != name:
        raise ConfigError(
            f"Connector name configuration ({own}) doesn't match connector name in the URL ({name})"
        )
    return {**config, "name": name}
