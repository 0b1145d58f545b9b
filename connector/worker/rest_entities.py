"""The entities of REST answers, field for field as Kafka Connect names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskId:
    """A task of a connector."""

    connector: str
    task: int


@dataclass(frozen=True, slots=True)
class ConnectorInfo:
    """A connector with its configuration and its tasks."""

    name: str
    config: Mapping[str, str | None]
    tasks: Sequence[TaskId]
    type: str


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task and its configuration."""

    id: TaskId
    config: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class ConnectorState:
    """The state of a connector; fields that are None are left out."""

    state: str
    worker_id: str
    trace: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class TaskState:
    """The state of a task; fields that are None are left out."""

    id: int
    state: str
    worker_id: str
    trace: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class ConnectorStateInfo:
    """The status of a connector and its tasks."""

    name: str
    connector: ConnectorState
    tasks: Sequence[TaskState]
    type: str


@dataclass(frozen=True, slots=True)
class ConfigKeyInfo:
    """A configuration key. Kafka before 4.2 says ``order``, later ``order_in_group``: both."""

    name: str
    type: str
    required: bool
    default_value: str | None
    importance: str
    documentation: str
    group: str | None
    order_in_group: int
    order: int
    width: str
    display_name: str
    dependents: Sequence[str]


@dataclass(frozen=True, slots=True)
class ConfigValueInfo:
    """The value of a configuration key and its errors."""

    name: str
    value: str | None
    recommended_values: Sequence[str]
    errors: Sequence[str]
    visible: bool


@dataclass(frozen=True, slots=True)
class ConfigInfo:
    """A key with its value; an unknown key has no definition."""

    definition: ConfigKeyInfo | None
    value: ConfigValueInfo


@dataclass(frozen=True, slots=True)
class ConfigInfos:
    """The answer to a validation."""

    name: str
    error_count: int
    groups: Sequence[str]
    configs: Sequence[ConfigInfo]
