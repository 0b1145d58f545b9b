"""The SELECTs that replace those of a snapshot."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from connector.capture.custom_snapshots import CustomQuery
from connector.capture.table_schema import TableEventSchema
from connector.mysql.session.connection import quote

log = logging.getLogger(__name__)


class Selects:
    """The configured SELECTs by table; a custom query has one for each other table."""

    def __init__(self, configured: Mapping[str, str], query: CustomQuery | None = None) -> None:
        self._configured = configured
        self._query = query

    def __contains__(self, table: object) -> bool:
        """Whether a table is read by a SELECT of its own, perhaps in part."""
        return self._query is not None or bool(self._configured.get(str(table)))

    def statement(self, schema: TableEventSchema) -> str | None:
        """Return the SELECT of a table that is among these, None to read no rows of it."""
        name = str(schema.table.id)
        configured = self._configured.get(name)
        if configured or self._query is None:
            return configured
        columns = [quote(column.column.name) for column in schema.columns]
        found = self._query.select(name, columns)
        if found is None:
            log.warning("The custom query has no SELECT for table %s: no rows are read", name)
        return found
