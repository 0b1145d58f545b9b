"""Request bodies and parameters, field for field as Kafka Connect names them.

Responses are the dataclasses of `connector.worker.rest_entities`.
"""

import re
from enum import StrEnum
from typing import Annotated, Any, Final
from urllib.parse import unquote

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import PydanticCustomError

from connector.worker.state import TargetState
from restapi.body import WrittenFloat, as_text

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,100}")


def _text(value: Any) -> str | None:
    try:
        return as_text(value)
    except TypeError:
        raise PydanticCustomError("string_type", "not a scalar") from None


def _any_case(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _truth(value: Any) -> bool:
    return str(value).lower() == "true"


def _task_number(text: str) -> int:
    """Read a path segment as Java's Integer.valueOf does."""
    digits = unquote(text)
    if not _INTEGER.fullmatch(digits) or not -(2**31) <= int(digits) < 2**31:
        raise PydanticCustomError("int_parsing", "not an Integer of Java")
    return int(digits)


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, WrittenFloat) else value


Text = Annotated[str | None, BeforeValidator(_text)]
ConfigMap = dict[str, Text]
Name = Annotated[str, BeforeValidator(unquote)]  # one path segment, still percent-encoded
TaskNumber = Annotated[int, BeforeValidator(_task_number)]
Truth = Annotated[bool, BeforeValidator(_truth)]  # as Boolean.valueOf: all but "true" is false
Scalar = Annotated[Any, BeforeValidator(_number)]


class InitialState(StrEnum):
    """The state a connector is created in."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"

    @property
    def target(self) -> TargetState:
        """The target state that leads there."""
        return TargetState.STARTED if self is InitialState.RUNNING else TargetState(self.value)


class CreateConnectorRequest(BaseModel):
    """A new connector. ``tasks`` and ``type`` are what `GET /connectors/{name}` adds."""

    model_config = ConfigDict(extra="forbid")

    name: Text = None
    config: ConfigMap | None = None
    initial_state: Annotated[InitialState | None, BeforeValidator(_any_case)] = None
    tasks: Any = None
    type: Any = None


class ConnectorOffset(BaseModel):
    """The offset of one partition."""

    model_config = ConfigDict(extra="forbid")

    partition: dict[str, Scalar] | None = None
    offset: dict[str, Scalar] | None = None


class ConnectorOffsets(BaseModel):
    """The offsets of a connector."""

    model_config = ConfigDict(extra="forbid")

    offsets: list[ConnectorOffset] | None = None


class SignalRequest(BaseModel):
    """A signal for a connector, in Debezium's form; without an id it gets one."""

    model_config = ConfigDict(extra="forbid")

    id: str | None = None
    type: str | None = None
    data: dict[str, Any] | None = None


class MessageResponse(BaseModel):
    """A sentence for the user."""

    message: str


class ServerInfo(BaseModel):
    """The answer of `GET /`."""

    version: str
    commit: str
    kafka_cluster_id: str | None


class WorkerStatus(BaseModel):
    """The answer of `GET /health`."""

    status: str
    message: str


class LoggerLevel(BaseModel):
    """The level of a logger and when it was last set through the API, in milliseconds."""

    level: str
    last_modified: int | None
