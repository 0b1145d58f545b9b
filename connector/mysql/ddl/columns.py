"""A column of CREATE TABLE or ALTER TABLE: name, type and attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from connector.mysql.ddl.data_types import read_charset, read_data_type
from connector.mysql.ddl.definitions import ColumnDefinition, ColumnPosition
from connector.mysql.ddl.literals import read_default, skip_now
from connector.mysql.ddl.reader import Reader


def read_column(reader: Reader, name: str) -> ColumnDefinition:
    """Read the type and the attributes of the column ``name``.

    :raises DdlError: for what is neither a type nor an attribute of a column.
    """
    column = ColumnDefinition(name, read_data_type(reader))
    column.serial = column.type.serial
    words = reader.words
    while (attribute := _ATTRIBUTES.get(words[reader.index])) or _at_option(reader):
        if attribute is None:
            _skip_option(reader)
        else:
            attribute(reader, column)
    return column


def read_column_position(reader: Reader) -> ColumnPosition | None:
    """Read FIRST or AFTER, if it is there."""
    if reader.take("FIRST"):
        return ColumnPosition(None)
    return ColumnPosition(reader.name()) if reader.take("AFTER") else None


def _not(reader: Reader, column: ColumnDefinition) -> None:
    reader.index += 1
    if reader.take("NULL"):
        column.nullable = False
    elif not reader.take_any("SECONDARY", "ENFORCED"):
        raise reader.unexpected("NULL")


def _null(reader: Reader, column: ColumnDefinition) -> None:
    reader.index += 1
    column.nullable = True


def _default(reader: Reader, column: ColumnDefinition) -> None:
    reader.index += 1
    null = reader.word == "NULL"
    given, text = read_default(reader)
    if given or (column.nullable and not null):
        column.has_default, column.default = True, text
    column.settled = column.settled or (not null and column.nullable is not None)


def _on_update(reader: Reader, column: ColumnDefinition) -> None:
    reader.expect("ON", "UPDATE")
    skip_now(reader)
    column.automatic = True


def _auto_increment(reader: Reader, column: ColumnDefinition) -> None:
    reader.index += 1
    column.automatic = True


def _serial(reader: Reader, column: ColumnDefinition) -> None:
    reader.expect("SERIAL", "DEFAULT", "VALUE")
    column.serial = True


def _primary(reader: Reader, column: ColumnDefinition) -> None:
    reader.take("PRIMARY")
    reader.take("KEY")
    column.primary = True


def _unique(reader: Reader, column: ColumnDefinition) -> None:
    reader.index += 1
    reader.take("KEY")
    column.unique = True


def _comment(reader: Reader, column: ColumnDefinition) -> None:
    reader.index += 1
    column.comment = reader.string()[1:-1]


def _collate(reader: Reader, column: ColumnDefinition) -> None:
    """Read COLLATE; right before a generation clause MySQL's oracle overlooks it."""
    reader.index += 1
    column.server_collation = collation = read_charset(reader, raw=True)
    if column.collation is None and reader.word not in ("GENERATED", "AS"):
        column.collation = collation


def _generated(reader: Reader, _column: ColumnDefinition) -> None:
    reader.take("GENERATED", "ALWAYS")
    reader.expect("AS")
    if reader.take("ROW"):
        if not reader.take_any("START", "END"):
            raise reader.unexpected("START or END")
        return
    reader.skip_parentheses()
    reader.take_any("VIRTUAL", "STORED", "PERSISTENT")


def _check(reader: Reader, _column: ColumnDefinition) -> None:
    if reader.take("CONSTRAINT") and reader.word != "CHECK":
        reader.name()
    if reader.word == "REFERENCES":
        skip_references(reader)
        return
    reader.expect("CHECK")
    reader.skip_parentheses()


def _references(reader: Reader, _column: ColumnDefinition) -> None:
    skip_references(reader)


def skip_references(reader: Reader) -> None:
    """Step over a REFERENCES clause."""
    reader.expect("REFERENCES")
    reader.table_name()
    if reader.word == "(":
        reader.skip_parentheses()
    if reader.take("MATCH"):
        reader.index += 1
    while reader.take("ON", "DELETE") or reader.take("ON", "UPDATE"):
        if reader.take_any("RESTRICT", "CASCADE"):
            continue
        reader.index += 2  # SET NULL, SET DEFAULT or NO ACTION


def _system_versioning(reader: Reader, _column: ColumnDefinition) -> None:
    reader.index += 1
    reader.expect("SYSTEM", "VERSIONING")


def _flag(reader: Reader, _column: ColumnDefinition) -> None:
    reader.index += 1
    if reader.take("="):
        reader.raw()


def _value(reader: Reader, _column: ColumnDefinition) -> None:
    """Step over a word, an optional equals sign and a value."""
    reader.index += 1
    reader.take("=")
    reader.raw()


def _at_option(reader: Reader) -> bool:
    """Return whether an option of a storage engine follows: ``name=value``."""
    return reader.at_name() and reader.ahead() == "="


def _skip_option(reader: Reader) -> None:
    reader.index += 2
    reader.raw()


_ATTRIBUTES: Final[dict[str, Callable[[Reader, ColumnDefinition], None]]] = {
    "NOT": _not,
    "NULL": _null,
    "DEFAULT": _default,
    "ON": _on_update,
    "AUTO_INCREMENT": _auto_increment,
    "SERIAL": _serial,
    "PRIMARY": _primary,
    "KEY": _primary,
    "UNIQUE": _unique,
    "COMMENT": _comment,
    "COLLATE": _collate,
    "GENERATED": _generated,
    "AS": _generated,
    "CONSTRAINT": _check,
    "CHECK": _check,
    "REFERENCES": _references,
    "WITH": _system_versioning,
    "WITHOUT": _system_versioning,
    "VISIBLE": _flag,
    "INVISIBLE": _flag,
    "ENFORCED": _flag,
    "COMPRESSED": _flag,
    "COLUMN_FORMAT": _value,
    "STORAGE": _value,
    "SRID": _value,
    "REF_SYSTEM_ID": _value,
    "ENGINE_ATTRIBUTE": _value,
    "SECONDARY_ENGINE_ATTRIBUTE": _value,
}
