"""Finds DDL statements that give existing rows values which no event has.

The source computes the values of existing rows when a column is added or converted, and emits no
events. The mirror can do the same for constants, NULL and wider types. Any other value is unknown
until a snapshot, so a statement is reported unless the values that it leaves are known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from connector import names
from sparksink.schemas.column_clauses import ColumnClause, column_clauses
from sparksink.schemas.constant_defaults import reads_default
from sparksink.schemas.ddl import renamed_columns
from sparksink.schemas.defined_columns import DefinedColumn
from sparksink.schemas.kept_values import keeps_values
from sparksink.schemas.row_schema import Column
from sparksink.schemas.schema_changes import Definition
from sparksink.schemas.versions import SchemaVersions, StatementId, statement_of

Selects = Callable[[str], bool]
"""Returns whether a table's settings include a column."""

_NUMBERS: Final = frozenset({"boolean", "int16", "int32", "int64", "float", "double"})
_EMPTY: Final = frozenset(
    "CHAR VARCHAR TINYTEXT TEXT MEDIUMTEXT LONGTEXT VARBINARY TINYBLOB BLOB MEDIUMBLOB LONGBLOB"
    " ENUM SET".split()
)
"""Types whose implicit default is empty, or the first label of an ENUM."""
_TEMPORAL: Final = frozenset({"DATE", "DATETIME", "TIME", "TIMESTAMP", "YEAR"})


@dataclass(slots=True)
class _Changes:
    """What the statements of a table have changed since its creation.

    ``reason`` is the last one, ``renames`` whether columns got other names.
    """

    reason: str = ""
    renames: bool = False


class ValueChanges:
    """The reported statements of all tables, with the reasons."""

    def __init__(self) -> None:
        self._reasons: dict[tuple[str, *StatementId], str] = {}
        self._tables: dict[str, _Changes] = {}

    def add(self, before: SchemaVersions | None, found: Definition, selects: Selects) -> None:
        """Note a statement, with the versions of its table before it; None if there is none."""
        copy = self._tables.pop(found.previous, None)
        if found.kind == "DROP":
            self._tables.pop(found.table, None)
        elif before is None or before.is_recreated_by(found):
            self._tables[found.table] = _Changes()
        is_first = before is None and found.kind == "ALTER" and not found.snapshot
        if is_first or (before is not None and before.is_altered_by(found)):
            last = before.newest if before is not None else None
            self._note(found, _unknown_values(last, found, selects, copy), copy)

    def reason(self, table: str, statement: StatementId) -> str:
        """Return why the values after a statement are unknown; empty if they are known."""
        return self._reasons.get((table, *statement), "")

    def _note(self, found: Definition, reason: str, copy: _Changes | None) -> None:
        table = self._tables.setdefault(found.table, _Changes())
        table.renames |= bool(renamed_columns(found.ddl))
        if copy is not None and copy.renames:
            reason = reason or "RENAME TABLE to a copy with renamed columns"
        if reason := reason or (copy.reason if copy is not None else ""):
            table.reason = self._reasons[found.table, *statement_of(found)] = reason


def _unknown_values(
    before: Definition | None, found: Definition, selects: Selects, copy: _Changes | None
) -> str:
    """Return the first column with values that the source computed; empty if there is none.

    :param copy: the changes of the table that replaces this one, if its statements are known.
    """
    clauses = column_clauses(found.ddl)
    old = {new.lower(): name.lower() for name, new in renamed_columns(found.ddl).items()}
    dropped = {name.lower() for name in found.dropped}
    known = {column.name.lower(): column for column in (before.columns if before else ())}
    lost = bool(found.previous) and not known.keys() <= {one.name.lower() for one in found.columns}
    for column in found.columns:
        name = column.name.lower()
        clause, former = clauses.get(name), known.get(old.get(name, name))
        is_added = former is None or (name in dropped and name in clauses)
        if not selects(column.name) or (clause is None and (before is None or (is_added and copy))):
            continue
        if is_added and (clause is None or clause.verb in {"ADD", "CREATE"}):
            decoded = found.shape.column(column.name)
            why = _unknown_addition(column, decoded, clause, may_be_renamed=lost)
        else:
            why = _unknown_conversion(former, column, clause)
        if why:
            return f"{clause.verb if clause else 'ALTER'} COLUMN {column.name} {why}"
    return ""


def _unknown_addition(
    column: DefinedColumn,
    decoded: Column | None,
    clause: ColumnClause | None,
    *,
    may_be_renamed: bool,
) -> str:
    """Return why rows have an unknown value in a column that was added; empty if it is known."""
    if clause is None:  # as in a table that replaced another one
        constant = column.default is not None and column.base not in _TEMPORAL
        constant = constant and reads_default(column, decoded, "text")
        known = constant and not column.automatic and not may_be_renamed
        return "" if known else "with an unknown definition"
    if clause.is_generated:
        return "as a generated column"
    if clause.is_numbered:
        return "with AUTO_INCREMENT"
    if clause.default == "none":
        return _unknown_implicit_default(column, decoded, clause)
    if clause.default == "constant":
        is_read = reads_default(column, decoded, clause.literal)
        return "" if is_read else "with a DEFAULT that cannot be converted"
    return "" if clause.default == "null" else f"with DEFAULT {clause.default}"


def _unknown_implicit_default(
    column: DefinedColumn, decoded: Column | None, clause: ColumnClause
) -> str:
    """Return why rows have an unknown value in a column without a DEFAULT."""
    if column.base == "TIMESTAMP" and not clause.may_be_null:
        return "with a value that depends on explicit_defaults_for_timestamp"
    if column.base == "ENUM" and not column.optional and "\\" in "".join(column.labels[:1]):
        return f"with the implicit default of {column.type}"
    if column.optional or column.base in _EMPTY:
        return ""
    kind = decoded or Column(column.name, "")
    known = kind.type in _NUMBERS or kind.semantic == names.CONNECT_DECIMAL
    return "" if known else f"with the implicit default of {column.type}"


def _unknown_conversion(
    former: DefinedColumn | None, column: DefinedColumn, clause: ColumnClause | None
) -> str:
    """Return why rows have an unknown value in a column that was there before."""
    if clause is not None and clause.verb in {"MODIFY", "CHANGE"}:
        if clause.is_generated:
            return "as a generated column"
        if clause.is_numbered and not (former and former.automatic):
            return "with AUTO_INCREMENT"
    if former is None:
        return "with an unknown former definition"
    if keeps_values(former, column):
        return ""
    if former.optional and not column.optional:
        return "from NULL to NOT NULL"
    return f"from {former.text} to {column.text}"
