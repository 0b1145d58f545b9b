"""Builds what translates the log of a source, with its plans of tables."""

from __future__ import annotations

from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.translate import Translator
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.server_log import has_gtids
from connector.mysql.schema.table_resolution import TableResolver
from connector.mysql.session.connection import Connection
from connector.mysql.source_parts import SourceParts


def build_translator(
    parts: SourceParts, server: Connection, coordinates: Coordinates, done: BinlogPosition
) -> Translator:
    """Return the translator of a stream from a server.

    :param done: the part of the first group that was processed before.
    """
    is_mariadb = parts.is_mariadb
    plans = TablePlans(
        parts.tracker.tables,
        parts.codec_of,
        parts.selection.captures,
        parts.options.inconsistent_schema,
        TableResolver(parts.settings, parts.tracker, coordinates, is_mariadb=is_mariadb),
        hidden_columns=is_mariadb,
    )
    options = TranslateOptions(
        skipped=parts.options.skipped,
        queries=parts.options.queries,
        gtid_times=not is_mariadb and has_gtids(server),
        captures_gtid=parts.options.captures_rows_of,
        on_failure=parts.options.on_failure,
        boundaries=parts.options.boundaries,
        position_headers=parts.options.position_headers,
        reselection=parts.reselection,
        logs_rollbacks=is_mariadb or server.version_number < (8,),
        signal_table=parts.unrecorded_table,
        signals=parts.selection.signal_table,
    )
    statement = parts.tracker.apply_statement
    return Translator(coordinates, plans, parts.source_block, statement, options, done)
