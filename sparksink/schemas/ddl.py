"""What the schema-change topic tells: the columns of tables, and which column got another name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sparksink.config.source import Modes
from sparksink.schemas.defaults import wire_default
from sparksink.schemas.mysql_types import column_of
from sparksink.schemas.shapes import Column, Shape

_NAME: Final = r"(`(?:[^`]|``)+`|[\w$]+)"
_RENAME: Final = re.compile(rf"\bRENAME\s+COLUMN\s+{_NAME}\s+TO\s+{_NAME}", re.IGNORECASE)
_CHANGE: Final = re.compile(
    rf"\bCHANGE\s+(?:COLUMN\s+)?(?:IF\s+EXISTS\s+)?{_NAME}\s+{_NAME}", re.IGNORECASE
)
_DROP: Final = re.compile(rf"\bDROP\s+(COLUMN\s+)?(?:IF\s+EXISTS\s+)?{_NAME}", re.IGNORECASE)
_NO_COLUMNS: Final = frozenset(
    "CHECK CONSTRAINT DATABASE DEFAULT FOREIGN INDEX KEY PARTITION PRIMARY SCHEMA TABLE".split()
)
"""Words that may follow DROP; as they are reserved, a column of such a name stands in quotes."""
_ID: Final = re.compile(r'"((?:[^"]|"")*)"')


@dataclass(frozen=True, slots=True)
class Definition:
    """A table after a statement; ``renamed`` leads from old to new names of columns.

    ``dropped`` are columns that the table had before.
    """

    table: str
    shape: Shape
    keys: tuple[str, ...]
    renamed: Mapping[str, str]
    dropped: frozenset[str] = frozenset()


def definitions(messages: Iterable[bytes | None], modes: Modes) -> Iterator[Definition]:
    """Read messages of the schema-change topic, with schemas or without, in their order."""
    for message in messages:
        value = json.loads(message or b"null") or {}
        value = value.get("payload", value) or {}
        for change in value.get("tableChanges") or ():
            if change.get("table"):
                yield _definition(change, value.get("ddl") or "", modes)


def statements(messages: Iterable[tuple[int, bytes]]) -> Iterator[dict[str, Any]]:
    """Yield what messages of the schema-change topic, with their offsets, tell of each table.

    Those are ``offset, source_table, kind`` (CREATE, ALTER or DROP), ``ddl, file, pos`` and
    ``source_millis``; what concerns no table has neither the second nor the third.
    """
    for offset, message in messages:
        value = json.loads(message) or {}
        value = value.get("payload", value) or {}
        source = value.get("source") or {}
        told = {
            "offset": offset,
            "ddl": value.get("ddl"),
            "file": source.get("file"),
            "pos": source.get("pos"),
            "source_millis": source.get("ts_ms"),
        }
        for change in value.get("tableChanges") or [{}]:
            table = table_name(change["id"]) if "id" in change else None
            yield {**told, "source_table": table, "kind": change.get("type")}


def renames(ddl: str) -> dict[str, str]:
    """Return which columns an ALTER TABLE renames, old name to new."""
    pairs = [*_RENAME.findall(ddl), *_CHANGE.findall(ddl)]
    named = {_bare(old): _bare(new) for old, new in pairs}
    return {old: new for old, new in named.items() if old != new}


def drops(ddl: str) -> frozenset[str]:
    """Return which columns an ALTER TABLE drops."""
    found = _DROP.findall(ddl)
    return frozenset(
        _bare(name) for column, name in found if column or name.upper() not in _NO_COLUMNS
    )


def _definition(change: Mapping[str, Any], ddl: str, modes: Modes) -> Definition:
    table = change["table"]
    shape = Shape(tuple(_column(column, modes) for column in table.get("columns") or ()))
    keys = tuple(table.get("primaryKeyColumnNames") or ())
    gone = drops(ddl).difference(shape.names)
    return Definition(table_name(change["id"]), shape, keys, renames(ddl), gone)


def table_name(identifier: str) -> str:
    """Return ``db.table`` for ``"db"."table"``."""
    parts = _ID.findall(identifier)
    return ".".join(part.replace('""', '"') for part in parts) or identifier


def _column(given: Mapping[str, Any], modes: Modes) -> Column:
    inside = [str(given[part]) for part in ("length", "scale") if given.get(part) is not None]
    name, _, rest = given["typeName"].partition(" ")
    column = column_of(given["name"], f"{name}({','.join(inside)}) {rest}", modes)
    default = wire_default(column, given.get("defaultValueExpression"))
    return replace(column, default=default, optional=bool(given.get("optional", True)))


def _bare(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
