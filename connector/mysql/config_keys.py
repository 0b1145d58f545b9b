"""The connector's configuration keys.

Names, types, defaults and places in forms (``config_keys.tsv``) are Debezium's, so that what users
have keeps its meaning. A key either works, or is refused here with a sentence, or its
documentation says that it is kept for compatibility.
"""

from __future__ import annotations

import csv
import re
from importlib.resources import files
from typing import Any, Final, cast

from connector.capture import notifications, snapshot_plan
from connector.capture.history.opening import STORES
from connector.capture.installed import installed_names
from connector.capture.signals import opening as signals
from connector.capture.signals.custom import CHANNELS as CUSTOM_CHANNELS
from connector.capture.tables import parse_table
from connector.config import (
    ConfigDef,
    ConfigKey,
    ConfigType,
    Importance,
    Validator,
    at_least,
    convert,
    invalid,
    one_of,
    only,
    pairs,
    regular_expressions,
)
from connector.errors import ConfigError
from connector.mysql.session.addresses import parse_addresses
from connector.mysql.snapshot import locks

_NO_LINEAGE: Final = "OpenLineage is not part of Millrace"
_NAMING_STRATEGIES: Final = tuple(
    f"io.debezium.schema.{parts}{kind}TopicNamingStrategy"
    for parts in ("Schema", "Default")
    for kind in ("", "Regex", "Unicode")
)
_SOURCE_MAKERS: Final = (
    "io.debezium.connector.mysql.MySqlSourceInfoStructMaker",
    "io.debezium.connector.mariadb.MariaDbSourceInfoStructMaker",
)
_LABEL: Final = re.compile(r"(?!__)[A-Za-z_][A-Za-z0-9_]*")
_OWN_LABELS: Final = frozenset({"plugin", "name", "context", "connector", "task", "table"})
_LONG_TYPES: Final = frozenset(["LIST", "CLASS", "PASSWORD"])

_FAILURE_MODES: Final = one_of("fail", "warn", "skip", "ignore")
_SSL_MODES: Final = {
    "mysql": one_of("disabled", "preferred", "required", "verify_ca", "verify_identity"),
    "mariadb": one_of("disable", "trust", "verify-ca", "verify-full"),
}


def _required(name: str, value: Any) -> str | None:
    return None if value else f"The '{name}' value is invalid: A value is required"


def _servers(name: str, value: Any) -> str | None:
    """Require a server, or a list of them."""
    missing = _required(name, value)
    if missing is not None:
        return missing
    try:
        parse_addresses(value, 1)
    except ConfigError as error:
        return str(error)
    return None


def _positive(name: str, value: Any) -> str | None:
    return _required(name, value) or at_least(1)(name, value)


def _operations(name: str, value: list[str] | None) -> str | None:
    letters = one_of("c", "u", "d", "t", "none")
    return next((fault for item in value or [] if (fault := letters(name, item))), None)


def _channels(*known: str) -> Validator:
    """Accept a list of the channels that exist here; Debezium's JMX needs a JVM."""

    def check(name: str, value: list[str] | None) -> str | None:
        channel = one_of(*known, case_sensitive=True)
        return next((fault for item in value or [] if (fault := channel(name, item))), None)

    return check


def _signal_channels(name: str, value: list[str] | None) -> str | None:
    """Accept the channels that exist here, and those of installed packages."""
    return _channels(*signals.CHANNELS, *installed_names(CUSTOM_CHANNELS))(name, value)


def _one_table(name: str, value: list[str] | None) -> str | None:
    """Accept the name of one table."""
    if not value:
        return None
    if len(value) > 1 or parse_table(value[0]) is None:
        return str(invalid(name, ",".join(value), "not the name of one table, database.table"))
    return None


def _tags(name: str, value: list[str] | None) -> str | None:
    """Accept ``label=value`` items whose labels Prometheus takes and the metrics do not have."""
    try:
        labels = pairs(value)
    except ValueError as error:
        return str(invalid(name, ",".join(value or ()), str(error)))
    for label in labels:
        if not _LABEL.fullmatch(label) or label in _OWN_LABELS:
            return str(invalid(name, label, "not a label that can be added to the metrics"))
    return None


_VALIDATORS: Final[dict[str, Validator]] = {
    "bigint.unsigned.handling.mode": one_of("long", "precise"),
    "binary.handling.mode": one_of("bytes", "base64", "base64-url-safe", "hex"),
    "binlog.buffer.size": at_least(0),
    "column.exclude.list": regular_expressions,
    "column.include.list": regular_expressions,
    "column.propagate.source.type": regular_expressions,
    "compat.mode": one_of("debezium", "exact"),
    "connect.timeout.ms": at_least(1),
    "custom.metric.tags": _tags,
    "database.exclude.list": regular_expressions,
    "database.hostname": _servers,
    "database.include.list": regular_expressions,
    "database.port": at_least(1),
    "database.server.id": _positive,
    "database.user": _required,
    "datatype.propagate.source.type": regular_expressions,
    "ddl.parser.type": only("default", because="there is one grammar, which is the default one"),
    "decimal.handling.mode": one_of("precise", "double", "string"),
    "event.converting.failure.handling.mode": one_of("fail", "warn", "skip"),
    "event.deserialization.failure.handling.mode": _FAILURE_MODES,
    "event.processing.failure.handling.mode": _FAILURE_MODES,
    "field.name.adjustment.mode": one_of("none", "avro", "avro_unicode"),
    "guardrail.collections.limit.action": one_of("warn", "fail"),
    "heartbeat.interval.ms": at_least(0),
    "incremental.snapshot.chunk.size": at_least(1),
    "incremental.snapshot.watermarking.strategy": one_of("INSERT_INSERT", "INSERT_DELETE"),
    "inconsistent.schema.handling.mode": _FAILURE_MODES,
    "millrace.incremental.snapshot.chunk.ms": at_least(0),
    "millrace.incremental.snapshot.threads": at_least(1),
    "millrace.incremental.snapshot.max.lag.ms": at_least(0),
    "notification.enabled.channels": _channels(*notifications.CHANNELS),
    "openlineage.integration.enabled": only(False, because=_NO_LINEAGE),
    "schema.history.internal": one_of(*STORES, case_sensitive=True),
    "schema.name.adjustment.mode": one_of("none", "avro", "avro_unicode"),
    "signal.data.collection": _one_table,
    "signal.enabled.channels": _signal_channels,
    "signal.kafka.poll.timeout.ms": at_least(0),
    "signal.poll.interval.ms": at_least(1),
    "skipped.operations": _operations,
    "snapshot.delay.ms": at_least(0),
    "snapshot.fetch.size": at_least(0),
    "snapshot.locking.mode": one_of(*locks.MODES),
    "snapshot.lock.timeout.ms": at_least(1),
    "snapshot.max.threads": at_least(1),
    "snapshot.max.threads.multiplier": at_least(1),
    "snapshot.mode": one_of(*snapshot_plan.MODES, snapshot_plan.CONFIGURED, snapshot_plan.CUSTOM),
    "snapshot.query.mode": one_of("select_all", "custom"),
    "snapshot.tables.order.by.row.count": one_of("disabled", "ascending", "descending"),
    "sourceinfo.struct.maker": only(*_SOURCE_MAKERS, because="source blocks have one form"),
    "streaming.delay.ms": at_least(0),
    "table.exclude.list": regular_expressions,
    "table.include.list": regular_expressions,
    "time.precision.mode": one_of(
        "adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"
    ),
    "topic.naming.strategy": one_of(*_NAMING_STRATEGIES, case_sensitive=True),
    "topic.prefix": _required,
    "transaction.metadata.factory": only(
        "io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory",
        because="transaction boundary events have one form",
    ),
}


def config_def(connector: str) -> ConfigDef:
    """Build the definition for ``mysql`` or ``mariadb``."""
    text = files("connector.mysql").joinpath("config_keys.tsv").read_text("utf-8")
    return ConfigDef(
        _key(row, connector) for row in csv.DictReader(text.splitlines(), delimiter="\t")
    )


def _key(row: dict[str, str], connector: str) -> ConfigKey:
    name, kind = row["name"], cast("ConfigType", row["type"])
    text = row["default"]
    validator = _VALIDATORS.get(name)
    if name == "database.ssl.mode":
        validator = _SSL_MODES[connector]
        text = {"mysql": "preferred", "mariadb": "disable"}[connector]
    default = None if text in ("", "(required)") else convert(name, kind, text)
    return ConfigKey(
        name,
        kind,
        default,
        cast("Importance", row["importance"]),
        row["doc"],
        row["group"],
        int(row["order"]),
        "LONG" if kind in _LONG_TYPES else "MEDIUM",
        row["display_name"],
        validator,
        internal=row["order"] == "-1",
    )
