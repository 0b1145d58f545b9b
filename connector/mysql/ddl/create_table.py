"""CREATE TABLE: elements, the options that matter, and what it copies from."""

from __future__ import annotations

from dataclasses import dataclass

from connector.mysql.ddl.data_types import at_charset, read_charset
from connector.mysql.ddl.definitions import TableElement
from connector.mysql.ddl.elements import read_elements
from connector.mysql.ddl.reader import Reader
from connector.mysql.ddl.statements import CreateTable

_QUERY = frozenset({"AS", "SELECT", "WITH", "VALUES", "TABLE", "REPLACE", "IGNORE"})


@dataclass(slots=True)
class TableOptions:
    """The options of a table that are kept; ``charset`` may be the word DEFAULT."""

    charset: str | None = None
    collation: str | None = None
    comment: str | None = None


def read_create_table(reader: Reader, first: int, *, or_replace: bool) -> CreateTable:
    """Read the statement from the name of the table on; ``first`` is the token it began with."""
    if_not_exists = reader.take("IF", "NOT", "EXISTS")
    name = reader.table_name()
    like = None
    elements: list[TableElement] = []
    options = TableOptions()
    query = False
    if reader.take("LIKE"):
        like = reader.table_name()
    elif reader.word == "(" and reader.ahead() == "LIKE":
        reader.index += 2
        like = reader.table_name()
        reader.expect(")")
    else:
        if reader.word == "(" and reader.ahead() not in ("SELECT", "WITH", "("):
            elements = read_elements(reader)
        read_options(reader, options)
        query = _skip_rest(reader)
    return CreateTable(
        text=reader.text(first),
        name=name,
        elements=tuple(elements),
        charset=options.charset,
        collation=options.collation,
        comment=options.comment,
        like=like,
        query=query,
        if_not_exists=if_not_exists,
        or_replace=or_replace,
    )


def read_options(reader: Reader, options: TableOptions) -> None:
    """Read table options up to a partition clause, a query or the end.

    :raises DdlError: for what cannot be an option.
    """
    while not reader.at_end() and reader.word not in ("PARTITION", ")", "("):
        if reader.take(",") or reader.take("WITH", "SYSTEM", "VERSIONING"):
            continue
        if reader.word in _QUERY:
            return
        read_option(reader, options)


def read_option(reader: Reader, options: TableOptions) -> None:
    """Read one table option."""
    reader.take("DEFAULT")
    if at_charset(reader):
        reader.take("=")
        options.charset = read_charset(reader)
    elif reader.take("COLLATE"):
        reader.take("=")
        options.collation = reader.raw()
    elif reader.word == "COMMENT":
        reader.index += 1
        reader.take("=")
        options.comment = reader.string()[1:-1]
    else:
        _skip_option(reader)


def _skip_option(reader: Reader) -> None:
    if not reader.at_name() and reader.kind not in ("string", "double"):
        raise reader.unexpected("a table option")
    word = reader.word
    reader.index += 1
    if word in ("DATA", "INDEX"):
        reader.expect("DIRECTORY")
    reader.take("=")
    if reader.word == "(":
        reader.skip_parentheses()
    else:
        reader.raw()


def _skip_rest(reader: Reader) -> bool:
    """Skip partitions and a query to the end; return whether there was a query."""
    query = False
    while not reader.at_end():
        query = query or reader.word in _QUERY
        if reader.word == "(":
            query = query or reader.ahead() in ("SELECT", "WITH")
            reader.skip_parentheses()
        else:
            reader.index += 1
    return query
