"""The connector's configuration as typed options, read once."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from connector.capture.change import Operation
from connector.capture.selection import Matches, any_of
from connector.capture.signals.opening import marks_by_position
from connector.config import invalid
from connector.errors import ConfigError
from connector.mysql.session.addresses import Addresses, parse_addresses
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.tls import Tls
from connector.mysql.types.type_options import FailureMode, Flavor, TypeOptions

log = logging.getLogger(__name__)

_TLS_MODES = {
    "disable": "disabled",
    "trust": "required",
    "verify-ca": "verify_ca",
    "verify-full": "verify_identity",
}
_OPERATIONS = frozenset("cudt")


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """Which changes of the log are captured and emitted.

    ``gtid_marks`` names the setting because of which chunks are read between GTIDs, if any.
    """

    server_id: int
    queries: bool = False
    skipped: frozenset[Operation] = frozenset(("t",))
    inconsistent_schema: FailureMode = "fail"
    on_failure: FailureMode = "fail"
    message_key_columns: str | None = None
    selects: dict[str, str] = field(default_factory=dict)
    captures_gtid: Matches | None = None
    filters_rows_by_gtid: bool = True
    most_tables: int = 0
    fails_with_more_tables: bool = False
    ignores_gtids: bool = False
    checks_position: bool = True
    boundaries: bool = False
    position_headers: bool = False
    gtid_marks: str = ""

    @property
    def captures_rows_of(self) -> Matches | None:
        """Return the test that rows must pass: of the sources that are followed, or of any."""
        return self.captures_gtid if self.filters_rows_by_gtid else None


def type_options(values: Mapping[str, Any], flavor: Flavor) -> TypeOptions:
    """Read how types are represented from parsed values."""
    return TypeOptions(
        time_precision=values["time.precision.mode"].lower(),
        decimal=values["decimal.handling.mode"].lower(),
        unsigned_bigint=values["bigint.unsigned.handling.mode"].lower(),
        binary=values["binary.handling.mode"].lower(),
        adjust_years=values["enable.time.adjuster"],
        exact=values["compat.mode"].lower() == "exact",
        placeholder=_placeholder(values["unavailable.value.placeholder"]),
        on_failure=_failure_mode(values["event.converting.failure.handling.mode"]),
        flavor=flavor,
    )


def _placeholder(text: str) -> bytes:
    """Read what stands for values that the log does not hold: a text, or ``hex:`` and bytes."""
    if not text.startswith("hex:"):
        return text.encode()
    try:
        return bytes.fromhex(text.removeprefix("hex:"))
    except ValueError as error:
        raise invalid("unavailable.value.placeholder", text, str(error)) from error


def capture_options(values: Mapping[str, Any], config: Mapping[str, str]) -> CaptureOptions:
    """Read what is captured from parsed values."""
    skipped = {item.lower() for item in values["skipped.operations"] or ()}
    return CaptureOptions(
        server_id=values["database.server.id"],
        queries=values["include.query"],
        skipped=frozenset(cast("set[Operation]", skipped & _OPERATIONS)),
        inconsistent_schema=_failure_mode(values["inconsistent.schema.handling.mode"]),
        on_failure=_failure_mode(values["event.processing.failure.handling.mode"]),
        message_key_columns=values["message.key.columns"],
        selects=_selects(values["snapshot.select.statement.overrides"], config),
        captures_gtid=_gtid_filter(config),
        filters_rows_by_gtid=values["gtid.source.filter.dml.events"],
        most_tables=values["guardrail.collections.max"],
        fails_with_more_tables=values["guardrail.collections.limit.action"].lower() == "fail",
        ignores_gtids=values["gtid.ignore.on.recovery"],
        checks_position=values["internal.log.position.check.enable"],
        boundaries=values["provide.transaction.metadata"],
        position_headers=values["millrace.position.headers"],
        gtid_marks=gtid_marks(values),
    )


def gtid_marks(values: Mapping[str, Any]) -> str:
    """Return the setting that needs GTIDs as the marks of chunks; empty without one."""
    if values["read.only"]:
        return "read.only=true"
    if marks_by_position(values):
        return "millrace.snapshot.resumable=true without signal.data.collection"
    return ""


def _failure_mode(text: str) -> FailureMode:
    mode = text.lower()
    return "skip" if mode == "ignore" else cast("FailureMode", mode)


def connection_settings(values: Mapping[str, Any]) -> ConnectionSettings:
    """Read how to reach the database from parsed values."""
    mode = values["database.ssl.mode"].lower()
    servers = parse_addresses(values["database.hostname"], values["database.port"])
    return ConnectionSettings(
        host=servers[0].host,
        port=servers[0].port,
        servers=Addresses(servers) if len(servers) > 1 else None,
        user=values["database.user"],
        password=values["database.password"] or "",
        connect_timeout=values["connect.timeout.ms"] / 1000,
        query_timeout=values["database.query.timeout.ms"] / 1000,
        tls=Tls(
            _TLS_MODES.get(mode, mode),
            values["database.ssl.keystore"],
            values["database.ssl.keystore.password"],
            values["database.ssl.truststore"],
            values["database.ssl.truststore.password"],
        ),
        initial_statements=_statements(values["database.initial.statements"] or ""),
        log_read_timeout=values["binlog.net.read.timeout"],
        log_write_timeout=values["binlog.net.write.timeout"],
    )


def _gtid_filter(config: Mapping[str, str]) -> Matches | None:
    """Read which sources of a replication topology are followed; None follows all."""
    includes, excludes = (config.get(f"gtid.source.{kind}") for kind in ("includes", "excludes"))
    if includes and excludes:
        raise ConfigError(
            "gtid.source.includes and gtid.source.excludes are both set; use one of them"
        )
    if includes:
        return any_of("gtid.source.includes", includes)
    if excludes:
        excluded = any_of("gtid.source.excludes", excludes)
        return lambda source: not excluded(source)
    return None


def _statements(text: str) -> tuple[str, ...]:
    """Split at semicolons; two together stand for one inside a statement."""
    parts = text.replace(";;", "\0").split(";")
    return tuple(part.replace("\0", ";").strip() for part in parts if part.strip())


def _selects(tables: str | None, config: Mapping[str, str]) -> dict[str, str]:
    prefix = "snapshot.select.statement.overrides"
    selects = {}
    for table in filter(None, map(str.strip, (tables or "").split(","))):
        statement = config.get(f"{prefix}.{table}")
        if statement:
            selects[table] = statement
        else:
            log.warning("%s names %s, but %s.%s is not set", prefix, table, prefix, table)
    return selects
