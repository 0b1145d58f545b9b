"""The MySQL and MariaDB connectors: their keys, their checks, and how a source is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from connector.capture.columns import ColumnCodec
from connector.capture.custom_snapshots import custom_faults
from connector.capture.history.opening import client_faults, history_store, snapshot_file
from connector.capture.selection import Selection, signal_table
from connector.capture.signals.opening import client_faults as signal_client_faults
from connector.capture.signals.opening import deletes_marks, marks_by_position
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table, TableId
from connector.config import ConfigDef, ConfigValue
from connector.data.schema import Schema
from connector.fence import Fence
from connector.mysql import options
from connector.mysql.capture_rules import CaptureRules
from connector.mysql.config_faults import faults as config_faults
from connector.mysql.config_keys import config_def
from connector.mysql.custom_converters import custom_converters
from connector.mysql.custom_converters import faults as converter_faults
from connector.mysql.heartbeat_action import HeartbeatAction
from connector.mysql.incremental.chunks import MySqlChunks
from connector.mysql.old_names import Translation, translate
from connector.mysql.reselection.post_processors import post_processor_faults, post_processors
from connector.mysql.reselection.reselection import Reselection
from connector.mysql.schema.definitions import BUILTIN_DATABASES
from connector.mysql.schema.schema_rules import SchemaRules
from connector.mysql.schema.tracker import SchemaTracker
from connector.mysql.schema.tracker_options import TrackerOptions
from connector.mysql.server_check import ServerCheck
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.snapshot.configured import snapshot_options
from connector.mysql.source import MySqlSource
from connector.mysql.source_block import COORDINATES, ROW_SLOT, SourceBlock, source_schema
from connector.mysql.source_parts import SourceParts
from connector.mysql.stream_control import MySqlStreamControl
from connector.mysql.types import codec_of
from connector.mysql.types.type_options import Flavor


@dataclass(frozen=True, slots=True)
class MySqlFamily:
    """One of the two connectors.

    ``version`` is that of the Debezium connector whose events these are; since 3.6 it
    ``resumes_transactions``.
    """

    name: Flavor
    class_name: str
    version: str
    resumes_transactions: bool

    row_slot: int = ROW_SLOT
    coordinates: tuple[str, ...] = COORDINATES
    builtin_databases: tuple[str, ...] = BUILTIN_DATABASES

    @property
    def task_class(self) -> str:
        """The name that Debezium gives the task."""
        return self.class_name + "Task"

    @property
    def source_schema(self) -> Schema:
        """The schema of the source block."""
        return source_schema(self.name)

    @property
    def config_def(self) -> ConfigDef:
        """The keys of this connector."""
        return config_def(self.name)

    def translate(self, config: Mapping[str, str]) -> Translation:
        """Return a configuration of any generation in today's names."""
        return translate(config)

    def validate(self, config: Mapping[str, str]) -> dict[str, ConfigValue]:
        """Report on every key; when all is well, on what the server says to it."""
        definition = self.config_def
        report = definition.check(config)
        found = (
            converter_faults(config)
            | post_processor_faults(config)
            | client_faults(config)
            | signal_client_faults(config)
            | custom_faults(config)
            | config_faults(config, definition)
        )
        for key, fault in found.items():
            report.setdefault(key, ConfigValue(key, config.get(key))).errors.append(fault)
        if not any(value.errors for value in report.values()):
            ServerCheck(self.name, definition.parse(config), config).report_faults(report)
        return report

    def claims(self, config: Mapping[str, str]) -> dict[str, str]:
        """Return the server id, which the server knows once, and the place of the history."""
        server = (
            f"{config.get('database.hostname', '').lower()}:{config.get('database.port', 3306)}"
        )
        history = "schema.history.internal"
        brokers = config.get(f"{history}.kafka.bootstrap.servers", "")
        topic = config.get(f"{history}.kafka.topic")
        file = config.get(f"{history}.file.filename")
        return {
            "database.server.id": f"{config.get('database.server.id', '').strip()} at {server}",
            **({f"{history}.kafka.topic": f"{topic} at {brokers}"} if topic else {}),
            **({f"{history}.file.filename": file} if file else {}),
        }

    def column_codec(
        self, values: Mapping[str, Any], config: Mapping[str, str]
    ) -> Callable[[TableId, Column], ColumnCodec | None]:
        """Return how columns are read with these options."""
        types = options.type_options(values, self.name)
        converters = list(custom_converters(config, types))

        def read(table: TableId, column: Column) -> ColumnCodec | None:
            own = (converter.codec(table, column) for converter in converters)
            return next(filter(None, own), None) or codec_of(column, types)

        return read

    def source(
        self,
        values: Mapping[str, Any],
        config: Mapping[str, str],
        selected: Selection,
        columns_of: Callable[[Table], TableEventSchema],
        fence: Fence,
    ) -> MySqlSource:
        """Build the source; nothing is connected yet. It writes no history behind the fence."""
        block = SourceBlock(self.version, self.name, values["topic.prefix"])
        capture = options.capture_options(values, config)
        rules = self._schema_rules(values, selected)
        settings = options.connection_settings(values)
        tracker = SchemaTracker(
            _tracker_options(values, config, rules, capture),
            history_store(values, config, fence),
            block,
            columns_of,
        )
        return MySqlSource(
            SourceParts(
                settings=settings,
                flavor=self.name,
                selection=selected,
                options=capture,
                snapshot=snapshot_options(values, config, capture),
                source_block=block,
                tracker=tracker,
                codec_of=columns_of,
                reads_definition=_defined(rules),
                rules=CaptureRules(config, selected),
                reselection=self._reselection(settings, values, config),
            )
        )

    def chunks(self, values: Mapping[str, Any], source: MySqlSource) -> MySqlChunks | None:
        """Return what reads chunks for incremental snapshots, None if windows cannot be marked."""
        table = signal_table(",".join(values["signal.data.collection"] or ()))
        if table is None and not marks_by_position(values):
            return None
        return source.chunks(table, deletes_marks=deletes_marks(values))

    def stream_control(self, source: MySqlSource) -> MySqlStreamControl:
        """Return what signals can do to the stream of a source."""
        return source.stream_control

    def heartbeat_action(
        self, values: Mapping[str, Any], source: MySqlSource
    ) -> HeartbeatAction | None:
        """Return what runs ``heartbeat.action.query`` on the server that a source captures."""
        statement = values["heartbeat.action.query"]
        if not statement:
            return None
        return HeartbeatAction(source.settings, statement)

    def _reselection(
        self,
        settings: ConnectionSettings,
        values: Mapping[str, Any],
        config: Mapping[str, str],
    ) -> Reselection | None:
        """Return what applies the post-processors, None when there are none."""
        processors = post_processors(config)
        if not processors:
            return None
        return Reselection(
            settings,
            processors,
            options.type_options(values, self.name).placeholder,
            skips_unchanged=values["skip.messages.without.change"],
        )

    def _schema_rules(self, values: Mapping[str, Any], selected: Selection) -> SchemaRules:
        history = "schema.history.internal"
        comments_key = (
            "include.schema.comments" if self.name == "mysql" else "include.schema.changes"
        )
        return SchemaRules(
            dialect=self.name,
            captures=selected.captures,
            captures_database=selected.captures_database,
            comments=values[comments_key],
            exact=options.type_options(values, self.name).exact,
            store_only_captured_tables_ddl=values[f"{history}.store.only.captured.tables.ddl"],
            store_only_captured_databases_ddl=values[
                f"{history}.store.only.captured.databases.ddl"
            ],
            skip_unparseable_ddl=values[f"{history}.skip.unparseable.ddl"],
        )


def _tracker_options(
    values: Mapping[str, Any],
    config: Mapping[str, str],
    rules: SchemaRules,
    capture: options.CaptureOptions,
) -> TrackerOptions:
    return TrackerOptions(
        rules,
        partition={"server": values["topic.prefix"]},
        truncates="t" not in capture.skipped,
        transactions=values["provide.transaction.metadata"],
        prefer_ddl=values["schema.history.internal.prefer.ddl"],
        captures_gtid=capture.captures_gtid,
        position_headers=capture.position_headers,
        snapshots=snapshot_file(values, config),
    )


def _defined(rules: SchemaRules) -> Callable[[TableId], bool]:
    """Return of which tables a snapshot reads the definition."""
    if rules.store_only_captured_tables_ddl:
        return rules.captures
    if rules.store_only_captured_databases_ddl:
        return lambda table: rules.captures_database(table.database)
    return lambda _: True


def mysql() -> MySqlFamily:
    """Return the MySQL connector."""
    class_name = "io.debezium.connector.mysql.MySqlConnector"
    return MySqlFamily("mysql", class_name, "3.6.1.Final", True)


def mariadb() -> MySqlFamily:
    """Return the MariaDB connector."""
    return MySqlFamily(
        "mariadb", "io.debezium.connector.mariadb.MariaDbConnector", "3.5.0.Final", False
    )
