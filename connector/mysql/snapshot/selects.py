"""The SELECTs that replace those of a snapshot."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from connector.capture.custom_snapshots import CustomQuery
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.mysql.session.connection import quote

log = logging.getLogger(__name__)


def configured_select(selects: Mapping[str, str], table: TableId) -> str | None:
    """Return the configured SELECT of a table, else that of its name in every database."""
    return selects.get(str(table)) or selects.get(table.table)


class Selects:
    """The configured SELECTs by table; a custom query has one for each other table."""

    def __init__(self, configured: Mapping[str, str], query: CustomQuery | None = None) -> None:
        self._configured = configured
        self._query = query

    def __contains__(self, table: object) -> bool:
        """Whether a table is read by a SELECT of its own, perhaps in part."""
        if not isinstance(table, TableId):
            return False
        return self._query is not None or bool(configured_select(self._configured, table))

    def statement(self, schema: TableEventSchema) -> str | None:
        """Return the SELECT of a table that is among these, None to read no rows of it."""
        name = str(schema.table.id)
        configured = configured_select(self._configured, schema.table.id)
        if configured or self._query is None:
            return configured
        columns = [quote(column.column.name) for column in schema.columns]
        found = self._query.select(name, columns)
        if found is None:
            log.warning("The custom query has no SELECT for table %s: no rows are read", name)
        return found
