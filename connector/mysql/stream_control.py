"""What signals do to the stream: replaced definitions, and the position of the next start."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from connector.capture.change import Change, Row, RowChanges
from connector.capture.signals.table_changes import TableChangesRequest
from connector.data.java import hash_order
from connector.errors import ConfigError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.position.recorded_positions import DEFINES
from connector.mysql.source_block import ROW_SLOT
from connector.mysql.source_parts import SourceParts

_FILE, _POSITION, _GTIDS = "binlog_filename", "binlog_position", "gtid_set"
_SIGNAL: Final = "millrace_signal"


class MySqlStreamControl:
    """A `connector.capture.signals.actions.StreamControl`, as long as there is a stream."""

    def __init__(self, parts: SourceParts) -> None:
        self._parts = parts
        self._at: Coordinates | None = None

    def follow(self, at: Coordinates) -> None:
        """Note the coordinates that the present stream moves."""
        self._at = at

    def redefine(self, request: TableChangesRequest, event: RowChanges | None) -> Iterator[Change]:
        """Replace tracked definitions, from the row of the signal on."""
        at = self._present
        if event is None:
            # The same definition may be set again at this position, which is no repetition.
            offset = at.position().recorded().to_offset()
            offset |= {DEFINES: True, _SIGNAL: str(uuid.uuid4())}
            source: Row = self._parts.source_block.for_stream(
                at, request.database, "", at.ts_micros
            )
        else:
            row = event.first_row or 0
            offset = replace(at.position(), row=row + 1).recorded().to_offset()
            source = (*event.source[:ROW_SLOT], row, *event.source[ROW_SLOT + 1 :])
        ordered = {key: offset[key] for key in hash_order(offset)}
        yield from self._parts.tracker.redefine(request, ordered, source)

    def restart_position(self, data: Mapping[str, Any]) -> BinlogPosition:
        """Read the position that a signal sets; the log is read behind GTIDs if it has them.

        :raises ConfigError: it is none, or one that this server does not read from.
        """
        at = self._present
        file, pos, gtids = data.get(_FILE), data.get(_POSITION), data.get(_GTIDS)
        if (file or pos is not None) and gtids:
            raise ConfigError(f"it has both {_FILE} and {_GTIDS}: the position is not clear.")
        here = replace(at.position().at_group_start(), server_id=0, ts_sec=None)
        if gtids:
            if not at.has_gtids:
                raise ConfigError(f"transactions are not followed by GTIDs: use {_FILE}.")
            return replace(here, gtids=self._gtids(str(gtids)))
        if not isinstance(file, str) or not file.rpartition(".")[2].isdigit():
            raise ConfigError(f"it has neither {_GTIDS} nor {_FILE}, such as binlog.000004.")
        if not isinstance(pos, int) or isinstance(pos, bool) or pos < 0:
            raise ConfigError(f"it has no {_POSITION}, which is a number from 0.")
        if at.has_gtids:
            raise ConfigError(f"the log is read behind GTIDs: use {_GTIDS}.")
        return replace(here, file=file, pos=max(pos, 4))

    def _gtids(self, text: str) -> GtidSet | MariaDbGtidSet:
        is_mariadb = self._parts.flavor == "mariadb"
        try:
            found = (MariaDbGtidSet if is_mariadb else GtidSet).parse(text)
        except ConfigError as error:
            raise ConfigError(f"{_GTIDS} cannot be read: {error}") from None
        if not found:
            raise ConfigError(f"{_GTIDS} is empty.")
        return found

    @property
    def _present(self) -> Coordinates:
        assert self._at is not None, "signals are read while the log is streamed"
        return self._at
