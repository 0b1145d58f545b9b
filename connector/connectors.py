"""The connectors that can be named in a configuration: a database, Debezium's events, a task."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from connector.capture.columns import ColumnCodec
from connector.capture.engine_configuration import engine_options
from connector.capture.incremental.chunk_source import ChunkSource
from connector.capture.selection import Selection, selection
from connector.capture.signals.actions import StreamControl
from connector.capture.signals.new_tables import configured_new_tables
from connector.capture.signals.opening import open_signals
from connector.capture.source import Source
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table, TableId
from connector.config import ConfigDef, ConfigValue, pairs
from connector.converters.table import AVRO_CONVERTERS
from connector.data.avro_names import field_names, schema_names
from connector.data.record import Header
from connector.data.schema import Schema
from connector.debezium.column_rules import column_rules
from connector.debezium.column_rules import faults as column_rules_faults
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions, context_headers
from connector.debezium.table_schemas import SchemaOptions, TableSchemas, key_columns
from connector.debezium.topics import TopicNaming, topic_naming
from connector.debezium.topics import faults as naming_faults
from connector.errors import ConfigError
from connector.fence import Fence
from connector.mysql import connector as mysql
from connector.mysql.old_names import OLD_PREFIXES, Translation
from connector.mysql.source import MySqlSource
from connector.plugin import Task, TaskContext
from connector.task.capture import Capture, HeartbeatHook
from connector.task.capture_task import CaptureTask

log = logging.getLogger(__name__)

SourceT = TypeVar("SourceT", bound=Source[Any])


class ConnectorFamily(Protocol[SourceT]):
    """What a database brings to a connector, with its own kind of source."""

    @property
    def name(self) -> str:
        """The database's name in the events."""

    @property
    def class_name(self) -> str:
        """The connector's name in configurations."""

    @property
    def task_class(self) -> str:
        """The name of its task."""

    @property
    def version(self) -> str:
        """The version of Debezium's connector whose events these are."""

    @property
    def config_def(self) -> ConfigDef:
        """The connector's keys."""

    @property
    def source_schema(self) -> Schema:
        """The schema of the source block."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The fields of a source block that say where an event stands."""

    @property
    def row_slot(self) -> int:
        """Where a source block holds the row number."""

    @property
    def resumes_transactions(self) -> bool:
        """Whether a transaction that is read again after a restart goes on."""

    @property
    def builtin_databases(self) -> tuple[str, ...]:
        """The server's own databases."""

    def translate(self, config: Mapping[str, str]) -> Translation:
        """Return a configuration of any generation in today's names."""

    def validate(self, config: Mapping[str, str]) -> dict[str, ConfigValue]:
        """Report on the keys, and on the server."""

    def claims(self, config: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that no other connector may share."""

    def column_codec(
        self, values: Mapping[str, Any], config: Mapping[str, str]
    ) -> Callable[[TableId, Column], ColumnCodec | None]:
        """Return how columns are read."""

    def chunks(self, values: Mapping[str, Any], source: SourceT) -> ChunkSource | None:
        """Return what reads chunks for incremental snapshots of a source, None without signals."""

    def stream_control(self, source: SourceT) -> StreamControl:
        """Return what signals can do to the stream of a source."""

    def heartbeat_action(self, values: Mapping[str, Any], source: SourceT) -> HeartbeatHook | None:
        """Return what is done with every heartbeat of a source, if anything."""

    def source(
        self,
        values: Mapping[str, Any],
        config: Mapping[str, str],
        selected: Selection,
        columns_of: Callable[[Table], TableEventSchema],
        fence: Fence,
    ) -> SourceT:
        """Build the source. It writes no history once the fence is closed."""


class CaptureConnector(Generic[SourceT]):
    """A source connector of the worker; see `connector.plugin.SourceConnector`."""

    passed_on = (
        "driver.",
        "database.",
        "schema.history.internal.",
        "signal.",
        "post.processors.",
        "column.mask.",
        "column.truncate.",
        "topic.",
        "snapshot.max.threads.multiplier.",
        "snapshot.select.statement.overrides.",
        *OLD_PREFIXES,
    )

    def __init__(self, database: ConnectorFamily[SourceT]) -> None:
        self._database = database
        self.class_name = database.class_name
        self.task_class = database.task_class
        self.version = database.version

    @cached_property
    def config_def(self) -> ConfigDef:
        """The connector's own keys."""
        return self._database.config_def

    def validate(self, config: Mapping[str, str]) -> dict[str, ConfigValue]:
        """Report on the connector's own keys."""
        translation = self._database.translate(config)
        today = translation.config
        report = self._database.validate(today)
        for key, fault in (column_rules_faults(today) | naming_faults(today)).items():
            report[key] = ConfigValue(key, today.get(key), [fault])
        for old, new in translation.renamed.items():
            if new in report:
                report[new].errors = [f"{text} (set as {old})" for text in report[new].errors]
        for old, fault in translation.faults.items():
            report[old] = ConfigValue(old, config[old], [fault])
        return report

    def claims(self, config: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that no other connector may share."""
        today = self._database.translate(config).config
        cluster = config.get("producer.override.bootstrap.servers")
        prefix = today.get("topic.prefix", "").strip()
        named = {"topic.prefix": f"{prefix} at {cluster}" if cluster else prefix}
        return named | self._database.claims(today)

    def create_task(self, context: TaskContext) -> Task:
        """Build the one task."""
        return CaptureTask(context, self.open_capture)

    def open_capture(self, config: Mapping[str, str], context: TaskContext, run: str) -> Capture:
        """Build the capture of one run. Nothing is connected yet.

        :raises ConfigError: a value cannot be used.
        """
        database = self._database
        config = _today(database.translate(config), context.connector)
        values = self.config_def.parse(config)
        naming = topic_naming(config)
        builtin = database.builtin_databases if values["table.ignore.builtin"] else ()
        selected = selection(config, builtin)
        schema = database.source_schema
        schemas = self._table_schemas(values, config, naming, selected, schema)
        headers = context_headers(database.name, naming.prefix, context.task, run)
        source = database.source(values, config, selected, schemas.of, context.fence)
        engine = engine_options(values, config)
        chunks = database.chunks(values, source)
        return Capture(
            source=source,
            engine=engine,
            encoder=DebeziumEncoder(self._event_options(values, naming, headers)),
            database=database.name,
            server=naming.prefix,
            source_schema=schema,
            coordinates=database.coordinates,
            captures=selected.captures,
            heartbeat_interval=values["heartbeat.interval.ms"] / 1000,
            partition={"server": naming.prefix},
            heartbeat_action=database.heartbeat_action(values, source),
            signals=open_signals(
                values,
                config,
                engine.notifications,
                chunks,
                database.stream_control(source),
                configured_new_tables(values, config, builtin, selected.signal_table),
            ),
            metric_tags=pairs(values["custom.metric.tags"]),
        )

    def _table_schemas(
        self,
        values: Mapping[str, Any],
        config: Mapping[str, str],
        naming: TopicNaming,
        selected: Selection,
        source_schema: Schema,
    ) -> TableSchemas:
        return TableSchemas(
            naming,
            source_schema,
            selected,
            self._database.column_codec(values, config),
            key_columns(values["message.key.columns"]),
            SchemaOptions(
                column_rules(config),
                schema_names(values["schema.name.adjustment.mode"].lower()),
                field_names(_field_name_mode(values, config)),
            ),
        )

    def _event_options(
        self, values: Mapping[str, Any], naming: TopicNaming, headers: tuple[Header, ...]
    ) -> EventOptions:
        database = self._database
        return EventOptions(
            connector=database.name,
            naming=naming,
            source=database.source_schema,
            row_slot=database.row_slot,
            tombstones=values["tombstones.on.delete"],
            transactions=values["provide.transaction.metadata"],
            resumes_transactions=database.resumes_transactions,
            schema_changes=values["include.schema.changes"],
            heartbeats=values["heartbeat.interval.ms"] > 0,
            skips_unchanged=values["skip.messages.without.change"],
            context_headers=headers if values["extended.headers.enabled"] else (),
            notifications=values["notification.sink.topic.name"],
        )


def _field_name_mode(values: Mapping[str, Any], config: Mapping[str, str]) -> str:
    """Return how names of fields are adjusted: for Avro when the connector sets its converter."""
    mode: str = values["field.name.adjustment.mode"].lower()
    names = (config.get("key.converter"), config.get("value.converter"))
    return "avro" if mode == "none" and any(name in AVRO_CONVERTERS for name in names) else mode


def _today(translation: Translation, connector: str) -> Mapping[str, str]:
    """Return the translated configuration, with a line in the log for each old key."""
    for fault in translation.faults.values():
        raise ConfigError(fault)
    for old, new in translation.renamed.items():
        log.warning("Connector %s: %s is the old name of %s, which it sets.", connector, old, new)
    return translation.config


def mysql_connector() -> CaptureConnector[MySqlSource]:
    """Return Debezium's MySQL connector."""
    return CaptureConnector(mysql.mysql())


def mariadb_connector() -> CaptureConnector[MySqlSource]:
    """Return Debezium's MariaDB connector."""
    return CaptureConnector(mysql.mariadb())
