"""Reads the schema-change topic: the tables after each statement, and the statements."""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from connector import names
from sparksink.change_position import POS_LIMIT, ChangePosition, pack
from sparksink.config.ordering import Ordering
from sparksink.config.source import Modes
from sparksink.errors import TableError
from sparksink.schemas.ddl import (
    added_columns,
    dropped_columns,
    exchanged_tables,
    previous_name,
    renamed_columns,
)
from sparksink.schemas.defaults import connect_default, first_label
from sparksink.schemas.defined_columns import DefinedColumn, parse_defined_column
from sparksink.schemas.mysql_types import column_of
from sparksink.schemas.row_schema import Column, RowSchema

log = logging.getLogger(__name__)

UNKNOWN: Final = "unknown"
"""The type of a column with an unsupported MySQL type; ``semantic`` has the reason."""
_INVALID: Final = (
    AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError,
)  # fmt: skip
"""What parsing raises if a message has another structure than a connector's."""
_LAST_MILLIS: Final = 253_402_300_800_000
"""The year 10000, which no timestamp reaches."""
_ID: Final = re.compile(r'"((?:[^"]|"")*)"')


@dataclass(frozen=True, slots=True)
class Definition:
    """A table after a statement; ``renamed`` maps old to new names of columns.

    ``source_renamed`` has these names also if the target does not follow renames.
    ``dropped`` are former columns; a column of the same name may exist again. ``kind`` is CREATE,
    ALTER or DROP, ``start`` the binlog position, None if it is unknown. ``previous`` is the name
    of the table before the statement, empty if it is the same. ``columns`` are those of ``shape``
    as the source defines them.
    """

    table: str
    shape: RowSchema
    keys: tuple[str, ...]
    renamed: Mapping[str, str]
    dropped: frozenset[str] = frozenset()
    kind: str = ""
    ddl: str = ""
    start: ChangePosition | None = None
    snapshot: bool = False
    previous: str = ""
    columns: tuple[DefinedColumn, ...] = ()
    source_renamed: Mapping[str, str] = field(default_factory=dict)

    def with_names(self, name: Callable[[str], str]) -> Definition:
        """Return this definition with other names of columns; ``columns`` keep those of the source.

        :param name: returns another name.
        """
        return replace(
            self,
            shape=RowSchema(tuple(replace(one, name=name(one.name)) for one in self.shape.columns)),
            keys=tuple(map(name, self.keys)),
            renamed={name(old): name(new) for old, new in self.renamed.items()},
            source_renamed={name(old): name(new) for old, new in self.source_renamed.items()},
            dropped=frozenset(map(name, self.dropped)),
        )

    def spelled_like(self, names: Collection[str]) -> Definition:
        """Return this definition with its former columns named as the table before spells them.

        A clause like MODIFY can change the case of a name.
        """
        known = {name.lower(): name for name in names}
        gone = {name.lower() for name in self.dropped}
        fresh = {name.lower(): name for name in self.shape.names if name not in names}
        spelled = {known[name]: fresh[name] for name in (known.keys() & fresh.keys()) - gone}

        def spell(renamed: Mapping[str, str]) -> dict[str, str]:
            return spelled | {known.get(old.lower(), old): new for old, new in renamed.items()}

        return replace(
            self,
            renamed=spell(self.renamed),
            source_renamed=spell(self.source_renamed),
            dropped=frozenset(known.get(name.lower(), name) for name in self.dropped),
        )


def parse_definitions(
    messages: Iterable[tuple[bytes | None, str | None]], modes: Modes, ordering: Ordering
) -> Iterator[Definition]:
    """Read messages of the schema-change topic, with schemas or without, in their order.

    Unreadable ones are skipped with an error in the log.

    :param messages: values, and position headers or None.
    """
    for message, header in messages:
        found = None
        with contextlib.suppress(*_INVALID):
            found = _definitions(_payload(message), header, modes, ordering)
        if found is None:
            log.error("A message of the schema-change topic is invalid and is skipped.")
        yield from found or ()


def _definitions(
    value: Mapping[str, Any], header: str | None, modes: Modes, ordering: Ordering
) -> list[Definition]:
    """Return the definitions of a message."""
    source = value.get("source") or {}
    snapshot = str(source.get("snapshot") or "false").lower() != "false"
    start = _statement_position(source, header, ordering)
    return [
        replace(_definition(change, value.get("ddl") or "", modes), start=start, snapshot=snapshot)
        for change in value.get("tableChanges") or ()
        if change.get("table") or change.get("type") == "DROP"
    ]


def _payload(message: bytes | None) -> Mapping[str, Any]:
    """Return the payload of a message, with a schema or without; empty if it is unreadable."""
    try:
        value = json.loads(message or b"{}")
    except ValueError:
        value = None
    if isinstance(value, dict):
        value = value.get("payload", value)
    if not isinstance(value, dict):
        log.error("A message of the schema-change topic is unreadable and is skipped.")
        return {}
    return value


def _statement_position(
    source: Mapping[str, Any], header: str | None, ordering: Ordering
) -> ChangePosition | None:
    """Return the position of a statement; None if it, or its epoch, is missing."""
    file, pos, epoch = source.get("file"), source.get("pos"), 0
    try:
        if ordering.epoch == "sequence" and source.get("sequence"):
            epoch = int(json.loads(source["sequence"])[0])
        elif ordering.epoch == "header":
            epoch = int(str(header).partition("/")[0])
        found = pack(epoch, str(file), int(str(pos)), 0, "r")
    except (ValueError, TypeError, IndexError):
        return None
    return found


def parse_statements(
    messages: Iterable[tuple[int, bytes, str | None]],
    ordering: Ordering,
    name: Callable[[str], str] = str,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each table of each message of the schema-change topic.

    It has ``offset, source_table, kind`` (CREATE, ALTER or DROP), ``ddl, file, pos``,
    ``source_millis`` and ``start``, the position; ``source_table`` and ``kind`` are None for
    statements that concern no table. ``previous`` is the table's name before a rename, or empty;
    ``exchanged`` are the tables whose rows became a partition of it. A renamed table also has a row
    as dropped, by its old name.

    :param name: returns the name that messages of ``db.table`` are routed by.
    """
    for offset, message, header in messages:
        with contextlib.suppress(*_INVALID):  # `parse_definitions` reports them
            yield from _statements(offset, _payload(message), header, ordering, name)


def _statements(
    offset: int,
    value: Mapping[str, Any],
    header: str | None,
    ordering: Ordering,
    name: Callable[[str], str],
) -> list[dict[str, Any]]:
    """Return the rows of a message."""
    source, ddl = value.get("source") or {}, _text(value.get("ddl"))
    statement = {
        "offset": offset,
        "ddl": ddl,
        "file": _text(source.get("file")),
        "pos": _whole(source.get("pos"), POS_LIMIT),
        "source_millis": _whole(source.get("ts_ms"), _LAST_MILLIS),
        "start": _statement_position(source, header, ordering),
        "previous": "",
        "exchanged": (),
    }
    found = []
    for change in value.get("tableChanges") or [{}]:
        row: dict[str, Any] = {**statement, "source_table": None, "kind": _text(change.get("type"))}
        if "id" in change:
            table = table_name(change["id"])
            row["source_table"], before = name(table), previous_name(ddl or "", table)
            row["exchanged"] = [*map(name, exchanged_tables(ddl or "", table.partition(".")[0]))]
            if before and name(before) != name(table):
                row["previous"] = name(before)
                found.append({**statement, "source_table": name(before), "kind": "DROP"})
        found.append(row)
    return found


def _text(value: Any) -> str | None:
    """Return a text, or None.

    :raises TypeError: it is something else.
    """
    if value is not None and not isinstance(value, str):
        raise TypeError(type(value))
    return value


def _whole(value: Any, limit: int) -> int | None:
    """Return a number below a limit, or None.

    :raises ValueError: it is something else.
    """
    found = None if value is None else int(value)
    if found is not None and not 0 <= found < limit:
        raise ValueError(found)
    return found


def _definition(change: Mapping[str, Any], ddl: str, modes: Modes) -> Definition:
    table = change.get("table") or {}
    given = table.get("columns") or ()
    shape = RowSchema(tuple(_column(column, modes) for column in given))
    columns = tuple(map(parse_defined_column, given))
    keys = tuple(_text(key) or "" for key in table.get("primaryKeyColumnNames") or ())
    named, kind = table_name(change["id"]), _text(change.get("type")) or ""
    previous, renamed = previous_name(ddl, named), renamed_columns(ddl)
    fresh = {name.lower() for name in added_columns(ddl).union(renamed.values())}
    kept = {name.lower() for name in shape.names} - fresh
    gone = frozenset(name for name in dropped_columns(ddl) if name.lower() not in kept)
    return Definition(
        named, shape, keys, renamed, gone, kind, ddl, previous=previous, columns=columns,
        source_renamed=renamed,
    )  # fmt: skip


def is_known(column: Column) -> bool:
    """Return whether the type of a column is supported."""
    return column.type != UNKNOWN


def table_name(identifier: str) -> str:
    """Return ``db.table`` for ``"db"."table"``."""
    parts = _ID.findall(identifier)
    return ".".join(part.replace('""', '"') for part in parts) or identifier


def _column(given: Mapping[str, Any], modes: Modes) -> Column:
    inside = [str(given[part]) for part in ("length", "scale") if given.get(part) is not None]
    name, _, rest = given["typeName"].partition(" ")
    called = _text(given["name"]) or ""
    try:
        column = column_of(called, f"{name}({','.join(inside)}) {rest}", modes)
    except TableError as error:  # messages with schemas do not need it
        return Column(called, UNKNOWN, str(error))
    optional, default = bool(given.get("optional", True)), given.get("defaultValueExpression")
    if default is None and not optional and column.semantic == names.ENUM:
        return replace(column, default=first_label(given.get("enumValues") or ()), optional=False)
    return replace(column, default=connect_default(column, default), optional=optional)
