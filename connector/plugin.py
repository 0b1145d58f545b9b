"""The protocols between the worker and the plugins that it runs.

The worker owns names, configurations, states, offsets and topics. A source connector owns
its keys, its checks and its task. They meet here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from connector.config import ConfigDef, ConfigValue
from connector.data.record import Record
from connector.data.schema import Schema
from connector.fence import Fence

# A partition names what is read ({"server": "shop"}), an offset how far. Both are flat maps of
# JSON primitives, and their key order is kept: Kafka Connect compares keys byte by byte.
Primitive = str | int | float | bool | None
Partition = Mapping[str, Primitive]
Offset = Mapping[str, Primitive]

ReportedState = Literal["RUNNING", "PAUSED", "FAILED"]
Report = Callable[[ReportedState, str | None], None]
PluginKind = Literal["source", "transformation", "predicate", "converter", "header_converter"]


class OffsetStore(Protocol):
    """Keeps the last committed offset of each partition of each connector.

    All methods may be called from any thread. They are safe to repeat.
    """

    def load(self, connector: str, partition: Partition) -> Offset | None:
        """Return the committed offset of a partition, None when there is none."""

    def save(self, connector: str, partition: Partition, offset: Offset | None) -> None:
        """Replace the offset of a partition; None removes it. Returns once that is durable.

        :raises TransientError: the storage does not answer; nothing is known to be stored.
        :raises StopError: the storage refuses the write for good.
        """

    def save_all(self, connector: str, offsets: Sequence[tuple[Partition, Offset | None]]) -> None:
        """Replace or remove the offsets of several partitions in one write; raises as `save`."""

    def items(self, connector: str) -> Sequence[tuple[Partition, Offset]]:
        """Return every partition of a connector with its offset."""

    def reset(self, connector: str) -> None:
        """Remove all offsets of a connector; raises as `save` does."""


class TopicCreator(Protocol):
    """Makes sure that topics exist before records go to them."""

    def ensure(self, topic: str) -> int:
        """Return the number of partitions of a topic, after creating it if so configured.

        Answers from memory after the first call for a topic. Called by the task's thread.

        :raises StopError: the topic cannot be created; the text names the remedy.
        :raises TransientError: the broker did not answer.
        """

    def forget(self, topic: str) -> None:
        """Look for a topic again at its next use: it was deleted."""

    def reachable(self) -> bool:
        """Return whether the cluster has just answered; sends a request, never waits for it."""

    def writable(self, topics: Sequence[str]) -> bool:
        """Return whether all partitions have just had a leader and all their replicas.

        Sends a request, never waits for it.
        """

    def close(self) -> None:
        """End the connections; a later call connects again."""


@runtime_checkable
class Converter(Protocol):
    """Writes keys or values."""

    def from_connect(self, topic: str, schema: Schema | None, value: Any, /) -> bytes | None:
        """Return the bytes of a Connect value; None is a null."""


@runtime_checkable
class HeaderConverter(Protocol):
    """Writes the values of headers."""

    def from_header(self, name: str, schema: Schema | None, value: Any, /) -> bytes | None:
        """Return the bytes of a header's Connect value."""


@runtime_checkable
class Transform(Protocol):
    """Changes records."""

    def apply(self, record: Record, /) -> Record | None:
        """Return the changed record, None to drop it."""


@runtime_checkable
class Predicate(Protocol):
    """Selects records."""

    def test(self, record: Record, /) -> bool:
        """Return whether the predicate holds for a record."""


@dataclass(frozen=True, slots=True)
class TaskConverters:
    """The converters of a connector: its own setting of each, else the worker's."""

    key: Converter
    value: Converter
    header: HeaderConverter


@dataclass(frozen=True, slots=True)
class TransformStep:
    """One configured transform of a connector; ``predicate`` decides whether it runs."""

    alias: str
    transform: Transform
    predicate: Predicate | None = None
    negate: bool = False


class MetricsRegistry(Protocol):
    """Publishes the metrics of running tasks."""

    def publish(self, connector: str, task: int, metrics: object) -> AbstractContextManager[object]:
        """Publish the metrics of a task until the context ends; unknown kinds are ignored."""
        ...


@dataclass(frozen=True, slots=True)
class TaskContext:
    """Everything a task gets from the worker.

    ``config`` is the connector's configuration with all ``${provider:key}`` references
    resolved: it holds secrets, so it is never logged. ``worker`` is the resolved worker file.
    ``producer``, ``consumer`` and ``admin`` are complete librdkafka settings: worker file,
    ``producer.*`` and the connector's ``producer.override.*`` merged and translated.
    Times are seconds.

    ``report`` may be called from any thread, at once or later; it never blocks on the broker.
    ``topics_used`` takes the topics written to since its last call: call it with each commit.
    All that the task writes passes the ``fence``, which is closed when the task is abandoned.
    """

    connector: str
    task: int
    config: Mapping[str, str]
    worker: Mapping[str, str]
    offsets: OffsetStore
    topics: TopicCreator
    report: Report
    topics_used: Callable[[Iterable[str]], None]
    converters: TaskConverters
    transforms: Sequence[TransformStep]
    producer: Mapping[str, Any]
    consumer: Mapping[str, Any]
    admin: Mapping[str, Any]
    metrics: MetricsRegistry
    flush_interval: float = 60.0
    flush_timeout: float = 5.0
    fence: Fence = field(default_factory=Fence)


class Task(Protocol):
    """One running task with its own thread, named ``task-<connector>-<id>``.

    Lifecycle: start → (pause ⇄ resume)* → stop. The worker calls each method under the lock of
    that connector, never two at once. A task that fails reports ``FAILED`` and ends by itself;
    `stop` is called on it all the same.
    """

    def start(self) -> None:
        """Start and return at once; report ``RUNNING``, or ``FAILED`` if that is impossible."""

    def pause(self) -> None:
        """Ask to stop reading, keeping connections; reports ``PAUSED`` when it has."""

    def resume(self) -> None:
        """Ask to continue reading; reports ``RUNNING`` when it does."""

    def stop(self, timeout: float) -> bool:
        """Flush, commit offsets and release everything within ``timeout`` seconds.

        Returns False when the task did not end in time and had to be abandoned; it must not
        write offsets after that.
        """


@runtime_checkable
class SnapshotTask(Protocol):
    """A task that takes snapshots and accepts signals. Any thread may call these methods."""

    def snapshot_reports(self) -> Sequence[Mapping[str, object]]:
        """Return how far the snapshots have come, none before any."""

    def signals(self) -> Sequence[Mapping[str, object]]:
        """Return the last signals that the REST API got."""

    def add_signal(
        self, identity: str, type_: str, data: Mapping[str, Any]
    ) -> Mapping[str, object] | None:
        """Take a signal and return it as `signals` does; None if the task takes none."""


class SourceConnector(Protocol):
    """A connector class: one stateless object, shared by all connectors of that class.

    ``passed_on`` are the prefixes of pass-through keys, such as ``driver.``: no key below them
    counts as unknown.
    """

    class_name: str
    task_class: str
    version: str
    config_def: ConfigDef
    passed_on: Sequence[str]

    def validate(self, config: Mapping[str, str]) -> dict[str, ConfigValue]:
        """Report on the connector's own keys, including checks against the database.

        ``config`` has its references resolved. May block for seconds; never raises for a bad
        value: the report holds the errors.
        """

    def claims(self, config: Mapping[str, str], /) -> Mapping[str, str]:
        """Return the settings that no other connector of the worker may share, by key."""

    def create_task(self, context: TaskContext) -> Task:
        """Build the one task. Nothing is connected or started yet."""


class Component(Protocol):
    """A converter, header converter, transform or predicate *class*.

    Its constructor takes the settings under its prefix, prefix removed:
    ``Component(config: Mapping[str, str])``. Converters also get ``converter.type`` with the
    value ``key``, ``value`` or ``header``. A bad setting raises `ConfigError`.

    A class may have ``passed_on``, the prefixes of settings that it gives to others: no key below
    them is unknown.
    """

    config_def: ConfigDef

    def __init__(self, config: Mapping[str, str]) -> None: ...


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A row of the plugin table as the REST API lists it."""

    class_name: str
    kind: PluginKind
    version: str | None


class Plugins(Protocol):
    """The plugin table as the worker sees it. Names are class names or Connect's aliases."""

    def all(self) -> Sequence[PluginInfo]:
        """Return all plugins: sources first, then the other kinds, each sorted by class name."""

    def info(self, name: str, kind: PluginKind | None = None) -> PluginInfo:
        """Find one plugin.

        :raises NotFoundError: no such plugin; the text lists what there is.
        :raises ConfigError: an alias fits several.
        """

    def connector(self, name: str) -> SourceConnector:
        """Load a source connector; raises as `info` does."""

    def component(self, name: str, kind: PluginKind) -> type[Component]:
        """Load the class of a converter, transform or predicate; raises as `info` does."""
