"""How changes of the schema are recorded and emitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from connector.capture.history.snapshot import SnapshotFile
from connector.capture.selection import Matches
from connector.mysql.schema.schema_rules import SchemaRules


@dataclass(frozen=True, slots=True)
class TrackerOptions:
    """How schema changes are recorded and emitted.

    ``partition`` names the connector in history records. ``truncates``: TRUNCATE is an event.
    ``transactions``: transaction metadata is emitted. ``position_headers``: events have their
    position as text. ``snapshots`` holds snapshots of the history.
    """

    rules: SchemaRules
    partition: Mapping[str, str]
    truncates: bool = False
    transactions: bool = False
    prefer_ddl: bool = False
    captures_gtid: Matches | None = None
    position_headers: bool = False
    snapshots: SnapshotFile | None = None
