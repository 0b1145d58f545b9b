"""Everything that Millrace raises on purpose.

MillraceError
|__ ConfigError                 a property, file or connector name is wrong
|__ NotFoundError               no such connector, task, plugin or logger
|__ AlreadyExistsError          a connector of that name exists
|__ ConflictError               the request does not fit the connector's state
|__ FencedError                 a task that was abandoned may not write any more
|__ TransientError              goes away by itself: try again with back-off
|   |__ DatabaseUnavailableError    connection lost or refused, server shutting down
|   |   |__ SessionRefusedError         no further session can be opened
|   |   |__ ServerSwitchError           another server of the list is to be captured
|   |__ BrokerUnavailableError      Kafka does not answer
|   |   |__ ClientFailedError           a Kafka client that has to be replaced
|   |   |__ TopicMissingError           a topic that was deleted under way
|   |__ RegistryUnavailableError    the schema registry does not answer
|   |__ DiskFullError               a file cannot grow
|   |__ TableChangedError           a table was altered while a snapshot began
|   |__ BatchTooLargeError          Kafka refuses a batch of messages that may pass one by one
|__ StopError                   needs a person: the task fails and says what to do
    |__ DamagedOffsetError          the stored offset is lost or unreadable
    |__ AccessDeniedError           credentials or a privilege
    |__ ReadOnlyServerError         the database is read-only
    |__ PositionLostError           the stored position is not on the server any more
    |__ UnknownTableError           a row of a table whose shape is not known
    |__ SchemaMismatchError         a row image does not fit the known shape of its table
    |__ DdlError                    a DDL statement that cannot be read or applied
    |__ ConversionError             a value that cannot become a Connect value or bytes
    |   |__ SchemaRefusedError          no value of a schema can become bytes
    |__ TransformError              a record that a transform cannot change
    |__ ReselectError               columns of a row that cannot be read again from their table
    |__ ProduceError                Kafka refuses messages for good
    |   |__ RefusedMessageError     … one message
    |__ HistoryError                the schema history is unreadable
    |   |__ LostHistoryError            … is missing or empty

`decide` is the one place that turns an error into what happens next. Whatever is not
listed stops the task: guessing would lose data.
"""

from __future__ import annotations

import errno
import traceback
from dataclasses import dataclass


class MillraceError(Exception):
    """Base of all errors here. ``remedy`` is what an operator can do."""

    remedy = ""

    def __init__(self, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        if remedy is not None:
            self.remedy = remedy


class ConfigError(MillraceError):
    """A configuration cannot be used; the message names the key and the value."""


class NotFoundError(MillraceError):
    """The requested object does not exist."""


class AlreadyExistsError(MillraceError):
    """A connector of that name exists."""


class ConflictError(MillraceError):
    """The request does not fit the present state."""


class FencedError(MillraceError):
    """The task was abandoned: its successor may run already."""


class TransientError(MillraceError):
    """A transient error: a retry may succeed."""


class DatabaseUnavailableError(TransientError):
    """The database closed, refused or never answered a connection."""


class SessionRefusedError(DatabaseUnavailableError):
    """No session can be opened beside those that are open."""


class ServerSwitchError(DatabaseUnavailableError):
    """Another server was chosen: the capture connects to it."""


class BrokerUnavailableError(TransientError):
    """Kafka does not answer."""


class ClientFailedError(BrokerUnavailableError):
    """A Kafka client is unusable; a new one can go on."""


class TopicMissingError(BrokerUnavailableError):
    """A topic that existed does not exist any more, or has lost partitions."""

    def __init__(self, message: str, topic: str) -> None:
        super().__init__(message)
        self.topic = topic


class BatchTooLargeError(TransientError):
    """A batch was refused that may pass in parts; ``smaller`` is the size in bytes to try next."""

    def __init__(self, topic: str, smaller: int, reason: str) -> None:
        super().__init__(
            f"a batch for topic {topic} was refused: {reason}; now trying batch.size={smaller}"
        )
        self.smaller = smaller


class RegistryUnavailableError(TransientError):
    """The schema registry does not answer, or with an error of its own."""


class DiskFullError(TransientError):
    """A file cannot grow, for lack of space, by a quota or by a limit of the process."""

    @staticmethod
    def is_cause(error: OSError) -> bool:
        """Whether an error of the operating system means that."""
        return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class TableChangedError(TransientError):
    """A table is not any more what the snapshot took it for: the snapshot restarts."""


class StopError(MillraceError):
    """A permanent error: the task fails until an operator intervenes."""


class AccessDeniedError(StopError):
    """The database or the broker refuses the user."""

    remedy = "Check user, password and privileges, then restart the task."


class ReadOnlyServerError(StopError):
    """The database is read-only, as a replica is."""

    remedy = (
        "Connect to a server that accepts writes, or configure nothing that writes: leave out "
        "heartbeat.action.query, and set read.only=true for incremental snapshots."
    )


class PositionLostError(StopError):
    """The server has purged, or never had, the stored position."""

    remedy = (
        "Take a new snapshot: set snapshot.mode=when_needed, or delete the connector's offsets "
        "and restart it."
    )


class DamagedOffsetError(StopError):
    """The stored offset of a connector is lost or unreadable."""

    remedy = (
        "Restore the offsets from a backup. For a new snapshot instead, stop the connector, send "
        "DELETE /connectors/<name>/offsets, and resume it."
    )

    def __init__(self, connector: str, reason: str) -> None:
        super().__init__(f"The offset of connector {connector} {reason}.")


class UnknownTableError(StopError):
    """A change of a captured table arrived whose definition was never seen."""

    remedy = (
        "If the user has no SELECT privilege on the table, grant it. Then restart with "
        "snapshot.mode=recovery, which completes the schema history. "
        "inconsistent.schema.handling.mode=warn skips such events and loses their rows."
    )


class SchemaMismatchError(StopError):
    """A row image does not match the tracked definition of its table."""

    remedy = "Restart the connector with snapshot.mode=recovery to read the schema again."


class DdlError(StopError):
    """A DDL statement cannot be read or applied."""

    remedy = (
        "Set schema.history.internal.skip.unparseable.ddl=true to go on without it, "
        "and report the statement."
    )


class ConversionError(StopError):
    """A value does not fit its schema."""


class SchemaRefusedError(ConversionError):
    """A schema cannot be written or registered, so that none of its values can."""


class TransformError(StopError):
    """A record does not have what a transform needs."""

    remedy = (
        "Correct the transform or select its records with a predicate; errors.tolerance=all skips "
        "such records."
    )


class ReselectError(StopError):
    """A row whose columns are to be read again cannot be read."""

    remedy = (
        "Set reselect.error.handling.mode=warn to send what the log holds, or "
        "event.processing.failure.handling.mode=warn to leave such events out."
    )


class ProduceError(StopError):
    """Kafka refuses messages whatever is tried."""

    remedy = (
        "Check the settings of the topic and the producer's settings (producer.* of the worker, "
        "producer.override.* of the connector), then restart the task."
    )


class RefusedMessageError(ProduceError):
    """Kafka refuses one message for ``topic``; others may be taken."""

    def __init__(self, message: str, topic: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy)
        self.topic = topic


class HistoryError(StopError):
    """The schema history cannot be used."""

    remedy = "Restart the connector with snapshot.mode=recovery to rebuild the schema history."


class LostHistoryError(HistoryError):
    """There is no schema history, or an empty one, although there is an offset."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after a pause; nothing is lost meanwhile."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The task fails; ``trace`` is what the status of the task shows."""

    trace: str


def decide(error: BaseException) -> Retry | Stop:
    """Decide whether the task may try again after an error, or must fail."""
    if isinstance(error, TransientError):
        return Retry(f"{type(error).__name__}: {error}")
    return Stop(trace_of(error))


def trace_of(error: BaseException) -> str:
    """Render an error for the status of a task: the message and remedy first, then the stack.

    User interfaces show the first line only, so it has to carry the cause.
    """
    head = f"{type(error).__name__}: {error}"
    if isinstance(error, MillraceError) and error.remedy:
        head = f"{head.removesuffix('.')}. {error.remedy}"
    return head + "\n" + "".join(traceback.format_exception(error))
