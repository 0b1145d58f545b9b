"""Parses DDL text to statements; skips statements that change no table, by their first words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from connector.mysql.ddl.alter_table import read_alter_table
from connector.mysql.ddl.create_table import read_create_table
from connector.mysql.ddl.data_types import at_charset, read_charset
from connector.mysql.ddl.reader import Reader
from connector.mysql.ddl.set_statement import read_set
from connector.mysql.ddl.statements import (
    Database,
    DatabaseAction,
    Ignored,
    Statement,
    UseDatabase,
    View,
    ViewAction,
)
from connector.mysql.ddl.table_statements import (
    read_drop_index,
    read_drop_table,
    read_rename_table,
    read_truncate,
    read_unique_index,
)
from connector.mysql.ddl.tokens import Dialect, tokenize

_SKIPPED_WORDS: Final = """
    ANALYZE BEGIN BINLOG CACHE CALL CHANGE CHECK CHECKSUM CLONE COMMIT DEALLOCATE DELETE DESC
    DESCRIBE DO EXECUTE EXPLAIN FLUSH GET GRANT HANDLER HELP IMPORT INSERT INSTALL KILL LOAD
    LOCK OPTIMIZE PREPARE PURGE RELEASE REPAIR REPLACE RESET RESIGNAL RESTART REVOKE ROLLBACK
    SAVEPOINT SELECT SHOW SHUTDOWN SIGNAL START STOP TABLE UNINSTALL UNLOCK UPDATE VALUES WITH
    XA ("""
_OBJECT_WORDS: Final = """
    CATALOG FULLTEXT INDEX INSTANCE LOGFILE MASKING RESOURCE ROLE SEQUENCE SERVER
    SPATIAL TABLESPACE UNDO USER VIEW"""
_SKIPPED: Final = frozenset(_SKIPPED_WORDS.split())
_PROGRAMS: Final = frozenset({"PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE", "LIBRARY"})
_OBJECTS: Final = _PROGRAMS | frozenset(_OBJECT_WORDS.split())
_DATABASE_OPTIONS: Final = frozenset(
    {"CHARACTER", "CHAR", "CHARSET", "COLLATE", "DEFAULT", "ENCRYPTION", "READ", "COMMENT"}
)


def parse(
    text: str,
    dialect: Dialect = "mysql",
    *,
    ansi_quotes: bool = False,
    backslashes: bool = True,
    oracle: bool = False,
) -> list[Statement]:
    """Read all statements of a text.

    :param ansi_quotes: double quotes enclose names.
    :param backslashes: backslashes escape within strings.
    :param oracle: a DATE is a DATETIME, in MariaDB.
    :raises DdlError: for a statement that cannot be read.
    """
    tokens = tokenize(text, dialect, backslashes=backslashes)
    reader = Reader(tokens, dialect, ansi_quotes=ansi_quotes, oracle=oracle)
    statements: list[Statement] = []
    while reader.kind != "end":
        if not reader.take(";"):
            statements.append(_statement(reader))
    return statements


def _statement(reader: Reader) -> Statement:
    _skip_set_statement(reader)
    read = _STATEMENTS.get(reader.word)
    if read is None:
        if reader.word not in _SKIPPED:
            raise reader.unexpected("a statement")
        reader.skip_statement()
        return Ignored()
    statement = read(reader, reader.index)
    if not reader.at_end():
        raise reader.unexpected("the end of the statement")
    return statement


def _skip_set_statement(reader: Reader) -> None:
    """Step over MariaDB's ``SET STATEMENT variable=value, … FOR``."""
    if not reader.take("SET", "STATEMENT"):
        return
    while reader.word != "FOR":
        if reader.at_end():
            raise reader.unexpected("FOR")
        reader.index += 1
    reader.index += 1


def _create(reader: Reader, first: int) -> Statement:
    reader.index += 1
    inner = _inner(reader, first)
    or_replace = reader.take("OR", "REPLACE")
    if reader.take("TEMPORARY"):
        return _temporary(reader)
    if reader.take("TABLE"):
        return read_create_table(reader, first, or_replace=or_replace)
    if reader.take_any("DATABASE", "SCHEMA"):
        if_not_exists = reader.take("IF", "NOT", "EXISTS")
        database = _database(reader, first, "create")
        return replace(database, or_replace=or_replace, if_not_exists=if_not_exists)
    reader.take_any("ONLINE", "OFFLINE")
    if reader.take("UNIQUE"):
        return read_unique_index(reader, inner)
    return _other(reader, inner, "CREATE_TABLE")


def _alter(reader: Reader, first: int) -> Statement:
    reader.index += 1
    inner = _inner(reader, first)
    reader.take_any("ONLINE", "OFFLINE")
    reader.take("IGNORE")
    if reader.take("TABLE"):
        return read_alter_table(reader, first)
    if reader.take_any("DATABASE", "SCHEMA"):
        return _database(reader, first, "alter")
    return _other(reader, inner, "ALTER_TABLE")


def _inner(reader: Reader, first: int) -> int:
    """Return where the text of an index or view begins: MySQL's oracle leaves the verb out."""
    return first if reader.dialect == "mariadb" else reader.index


def _temporary(reader: Reader) -> Statement:
    """Step over a temporary table or sequence: it hides a table of its name in one session only."""
    reader.skip_statement()
    return Ignored()


def _drop(reader: Reader, first: int) -> Statement:
    reader.index += 1
    if reader.take("TEMPORARY"):
        return _temporary(reader)
    if reader.take_any("ONLINE", "OFFLINE") or reader.word == "INDEX":
        reader.expect("INDEX")
        return read_drop_index(reader, first)
    if reader.take_any("TABLE", "TABLES"):
        return read_drop_table(reader, first)
    if reader.take_any("DATABASE", "SCHEMA"):
        reader.take("IF", "EXISTS")
        return Database(reader.text(first, reader.index), "drop", reader.name())
    _seek_object(reader)
    reader.skip_statement()
    return Ignored()


def _other(reader: Reader, first: int, action: ViewAction) -> Statement:
    """Read a view; step over a stored program or whatever else is created or altered.

    JSON views have no rows of their own; the oracle cannot read them.
    """
    kind = _seek_object(reader)
    if kind in _PROGRAMS:
        reader.skip_all()
        return Ignored()
    if kind != "VIEW" or reader.ahead(-2) == "DUALITY":
        reader.skip_statement()
        return Ignored()
    reader.take("IF", "NOT", "EXISTS")
    name = reader.table_name()
    reader.skip_statement()
    return View(reader.text(first), action, name)


def _seek_object(reader: Reader) -> str:
    """Step over modifiers (DEFINER=…, AGGREGATE …) and the kind of an object, and return that."""
    while not (kind := reader.take_any(*_OBJECTS)):
        if reader.at_end():
            raise reader.unexpected("the kind of an object")
        reader.index += 1
    return kind


def _database(reader: Reader, first: int, action: DatabaseAction) -> Database:
    unnamed = reader.at_end() or (action == "alter" and reader.word in _DATABASE_OPTIONS)
    name = None if unnamed else reader.name()
    charset = collation = None
    while not reader.at_end():
        if at_charset(reader):
            reader.take("=")
            charset = read_charset(reader)
        elif reader.take("COLLATE"):
            reader.take("=")
            collation = read_charset(reader)
        else:
            reader.index += 1  # DEFAULT, ENCRYPTION 'N', COMMENT '…'
    return Database(reader.text(first), action, name, charset, collation)


def _rename(reader: Reader, first: int) -> Statement:
    reader.index += 1
    if reader.take_any("TABLE", "TABLES"):
        return read_rename_table(reader, first)
    reader.expect("USER")
    reader.skip_statement()
    return Ignored()


def _use(reader: Reader, first: int) -> UseDatabase:
    reader.index += 1
    name = reader.name()
    return UseDatabase(reader.text(first), name)


_STATEMENTS: Final[dict[str, Callable[[Reader, int], Statement]]] = {
    "CREATE": _create,
    "ALTER": _alter,
    "DROP": _drop,
    "RENAME": _rename,
    "TRUNCATE": read_truncate,
    "USE": _use,
    "SET": read_set,
}
