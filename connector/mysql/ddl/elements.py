"""What stands between the parentheses of CREATE TABLE: columns, keys and constraints."""

from __future__ import annotations

from connector.mysql.ddl.columns import read_column, skip_references
from connector.mysql.ddl.definitions import KeyDefinition, TableElement
from connector.mysql.ddl.reader import Reader

_CONSTRAINTS = frozenset(
    {"CONSTRAINT", "PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"}
)
_KINDS = ("PRIMARY", "UNIQUE", "FOREIGN", "FULLTEXT", "SPATIAL", "VECTOR", "KEY", "INDEX")


def read_elements(reader: Reader, *, doubled: bool = False) -> list[TableElement]:
    """Read ``(element, …)``; constraints that tables here know nothing of are left out.

    :param doubled: keep doubled back quotes in the names of columns, as the oracle does in
        ALTER TABLE but not in CREATE TABLE.
    """
    reader.expect("(")
    elements: list[TableElement] = []
    while True:
        element = _element(reader, doubled=doubled)
        if element is not None:
            elements.append(element)
        if not reader.take(","):
            reader.expect(")")
            return elements


def _element(reader: Reader, *, doubled: bool) -> TableElement | None:
    if at_constraint(reader):
        return read_constraint(reader)
    name = reader.name()
    return read_column(reader, name if doubled else name.replace("``", "`"))


def at_constraint(reader: Reader) -> bool:
    """Return whether a key, another constraint or a period follows instead of a column."""
    if reader.word == "PERIOD":
        return reader.ahead() in ("FOR", "IF")
    if reader.word == "VECTOR":  # MariaDB 11.7; elsewhere a column may have that name
        return reader.ahead() in ("KEY", "INDEX")
    return reader.word in _CONSTRAINTS


def read_constraint(reader: Reader) -> KeyDefinition | None:
    """Read a key or another constraint; only primary and unique keys are returned."""
    if reader.take("CONSTRAINT"):
        reader.take("IF", "NOT", "EXISTS")
        if reader.word not in _CONSTRAINTS:
            reader.name()
    if reader.take("PERIOD"):
        reader.take("IF", "NOT", "EXISTS")
        reader.expect("FOR")
        reader.name()
        reader.skip_parentheses()
        return None
    if reader.take("CHECK"):
        reader.skip_parentheses()
        reader.take("NOT")
        reader.take("ENFORCED")
        return None
    word = reader.take_any(*_KINDS)
    if not word:
        raise reader.unexpected("a key or a constraint")
    reader.take_any("KEY", "INDEX")
    return _key(reader, word)


def _key(reader: Reader, kind: str) -> KeyDefinition | None:
    if_not_exists = reader.take("IF", "NOT", "EXISTS")
    while reader.word != "(":
        if reader.at_end():
            raise reader.unexpected("the columns of a key")
        reader.index += 1  # the name of the key, USING BTREE
    columns = read_key_columns(reader)
    if kind == "FOREIGN":
        skip_references(reader)
    skip_index_options(reader)
    if kind not in ("PRIMARY", "UNIQUE"):
        return None
    return KeyDefinition(kind == "PRIMARY", columns, if_not_exists)


def read_key_columns(reader: Reader) -> tuple[str | None, ...]:
    """Read ``(column[(length)] [ASC|DESC], …)``; an expression becomes None.

    A period ``p WITHOUT OVERLAPS`` is no column and is left out.
    """
    reader.expect("(")
    columns: list[str | None] = []
    while True:
        columns += _key_part(reader)
        if not reader.take(","):
            reader.expect(")")
            return tuple(columns)


def _key_part(reader: Reader) -> list[str | None]:
    if reader.word == "(":
        reader.skip_item()
        return [None]
    name = reader.name().replace("``", "`")
    if reader.word == "(":
        reader.skip_parentheses()
    reader.take_any("ASC", "DESC")
    if reader.take("WITHOUT", "OVERLAPS"):
        return []
    if reader.word not in (",", ")"):
        reader.skip_item()
        return [None]
    return [name]


def skip_index_options(reader: Reader) -> None:
    """Step over the options after the columns of a key.

    :raises DdlError: when the statement goes on with something else.
    """
    while not reader.at_end() and reader.word not in (",", ")"):
        if reader.take_any("VISIBLE", "INVISIBLE", "IGNORED", "NOWAIT"):
            continue
        if reader.take("NOT", "IGNORED"):
            continue
        reader.take("WITH")  # before PARSER
        if not reader.at_name():
            raise reader.unexpected("an option of an index")
        reader.index += 1
        reader.take("=")
        reader.raw()
