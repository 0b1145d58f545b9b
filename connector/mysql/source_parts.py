"""The components of a MySQL or MariaDB source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from connector.capture.selection import Selection
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.mysql.capture_rules import CaptureRules
from connector.mysql.options import CaptureOptions
from connector.mysql.reselection.reselection import Reselection
from connector.mysql.schema.tracker import SchemaTracker
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.snapshot.snapshot_parts import SnapshotOptions
from connector.mysql.source_block import SourceBlock
from connector.mysql.types.type_options import Flavor


@dataclass(frozen=True, slots=True)
class SourceParts:
    """The components of a source, without its connections."""

    settings: ConnectionSettings
    flavor: Flavor
    selection: Selection
    options: CaptureOptions
    snapshot: SnapshotOptions
    source_block: SourceBlock
    tracker: SchemaTracker
    codec_of: Callable[[Table], TableEventSchema]
    reads_definition: Callable[[TableId], bool]
    rules: CaptureRules
    reselection: Reselection | None = None

    @property
    def is_mariadb(self) -> bool:
        """Whether the source is MariaDB's connector."""
        return self.flavor == "mariadb"

    @property
    def unrecorded_table(self) -> str:
        """The quoted table whose statements are no row's query: that of signals, on MariaDB."""
        table = self.selection.signal_table
        return table.quoted("`").lower() if self.is_mariadb and table is not None else ""
