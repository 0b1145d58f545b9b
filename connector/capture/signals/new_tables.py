"""Finds tables that the configuration captures since this start, and requests their rows.

Offsets keep the filters of the last start, as long as ``millrace.snapshot.new.tables`` is set.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from connector.capture.selection import any_of, selection
from connector.capture.signals.blocking import BlockingQueue
from connector.capture.signals.signal import Signal, snapshot_request
from connector.capture.tables import TableId
from connector.errors import ConfigError

log = logging.getLogger(__name__)

_KEY: Final = "millrace_captured"
_FILTERS: Final = tuple(
    f"{kind}.{list_}.list" for kind in ("database", "table") for list_ in ("include", "exclude")
)
_NAMED: Final = 10  # tables in a line of the log


class NewTables:
    """The filters of this start; ``includes`` selects the tables that snapshots read."""

    def __init__(
        self,
        config: Mapping[str, str],
        builtin: Iterable[str],
        includes: Callable[[TableId], bool],
    ) -> None:
        self._filters = {key: config[key] for key in _FILTERS if config.get(key)}
        self._builtin = tuple(builtin)
        self._includes = includes

    def to_offset(self) -> dict[str, Any]:
        """Return the key that offsets keep."""
        return {_KEY: json.dumps(self._filters, ensure_ascii=False, separators=(",", ":"))}

    def with_request(
        self, offset: Mapping[str, Any], tables: Mapping[TableId, bool]
    ) -> dict[str, Any]:
        """Return an offset in which a blocking snapshot of the new tables is requested.

        :param tables: the captured tables that the server has; whether their definitions are
            known at the offset, which counts if the offset has no filters.
        """
        captured = self._captured_before(offset)
        found = [
            table
            for table, is_known in tables.items()
            if self._includes(table) and not (is_known if captured is None else captured(table))
        ]
        if not found:
            return {**offset, **self.to_offset()}
        names = ", ".join(map(str, found[:_NAMED])) + (", …" if len(found) > _NAMED else "")
        log.info("%d tables are captured since this start, and read: %s", len(found), names)
        data = {"data-collections": [re.escape(str(table)) for table in found], "type": "blocking"}
        signal = Signal("millrace-new-tables", "execute-snapshot", data)
        request = snapshot_request(signal)
        assert request is not None
        queue = BlockingQueue()
        queue.restore(offset)
        queue.add(signal, request, None)
        return {**offset, **queue.to_offset(), **self.to_offset()}

    def _captured_before(self, offset: Mapping[str, Any]) -> Callable[[TableId], bool] | None:
        text = offset.get(_KEY)
        if text is None:
            return None
        try:
            return selection(json.loads(text), self._builtin).captures
        except (ValueError, TypeError, AttributeError, ConfigError) as error:
            log.warning("The stored filters of tables are damaged: %s", error)
            return None


def configured_new_tables(
    values: Mapping[str, Any],
    config: Mapping[str, str],
    builtin: Sequence[str],
    signal_table: TableId | None,
) -> NewTables | None:
    """Return what reads tables that are added to the configuration, None if nothing does."""
    if not values["millrace.snapshot.new.tables"]:
        return None
    included = config.get("snapshot.include.collection.list")
    matches = any_of("snapshot.include.collection.list", included or ".*")
    return NewTables(config, builtin, lambda it: it != signal_table and matches(str(it)))
