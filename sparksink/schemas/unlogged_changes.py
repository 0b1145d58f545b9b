"""Finds statements of the schema-change topic that change the rows of a table without events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sparksink.schemas.ddl_tokens import read_tokens

_PARTITIONS: Final = re.compile(
    r"\b(?:DROP|TRUNCATE|EXCHANGE|DISCARD|IMPORT|CONVERT)\s+PARTITION\b"
    r"|\b(?:DISCARD|IMPORT)\s+TABLESPACE\b|\bCONVERT\s+TABLE\b"
    r"|^ALTER\s+(?:ONLINE\s+)?IGNORE\b"
)
_COPY: Final = re.compile(r"_+(?P<table>.+)_(?:gho|new)|(?:__osc_new|lhmn)_(?P<other>.+)")
"""Names of the copies that gh-ost, pt-online-schema-change, spirit, OSC and LHM make of a table."""
_LONGEST_NAME: Final = 64

LastStatement = tuple[str | None, str | None, int | None]
"""The kind of a table's last statement, and its file and position."""


def removes_rows(ddl: str) -> bool:
    """Return whether an ALTER TABLE removes or brings rows without events, as DROP PARTITION does.

    ALTER IGNORE TABLE removes rows with duplicate keys.
    """
    words = " ".join(one.text if one.kind == "word" else "_" for one in read_tokens(ddl))
    return _PARTITIONS.search(words) is not None


def statements_without_events(
    found: Iterable[Mapping[str, Any]], before: Mapping[str, LastStatement]
) -> Iterator[Mapping[str, Any]]:
    """Yield the statements, as `parse_statements` does, whose tables change unseen.

    ``reason`` says why: a text, or None if rows were removed or added. Statements that have a
    reason already are yielded with it. A table that is renamed brings its rows, also if it replaces
    another one, unless it is the copy that a tool has made to alter the other one. A connector need
    not publish that the other one got a name that it does not capture.

    :param before: the last earlier statement of each table.
    """
    last = {**before}
    for one in found:
        table, ddl = one["source_table"], one["ddl"] or ""
        if table is None:
            continue
        position, known = (one["file"], one["pos"]), last.get(table)
        is_free = known is None or (known[0] == "DROP" and known[1:] != position)
        previous, reason = one["previous"], one.get("reason") or None
        brings_rows = previous and (is_free or not is_copy(previous, table))
        if removes_rows(ddl) or brings_rows or reason:
            yield {**one, "reason": reason}
        for other in one["exchanged"]:
            yield {**one, "source_table": other, "reason": None}
        last[table] = (one["kind"], *position)


def is_copy(name: str, table: str) -> bool:
    """Return whether a table is the copy of another one that a tool has made to alter it.

    Tools cut the table's name if the copy's would be too long.
    """
    (database, copy), (other, original) = (one.split(".", 1) for one in (name, table))
    found = _COPY.fullmatch(copy)
    if found is None or database != other:
        return False
    named = found["table"] or found["other"]
    return named == original or (len(copy) == _LONGEST_NAME and original.startswith(named))
