"""The rows that changes of a snapshot have."""

from __future__ import annotations

from connector.capture.change import Change, RowChanges


def rows_read(changes: list[Change]) -> list[int]:
    return [
        after[0]
        for change in changes
        if isinstance(change, RowChanges) and change.op == "r"
        for _, after in change.rows
        if after is not None
    ]
