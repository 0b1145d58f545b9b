"""ALTER TABLE: its clauses, distinguished by their first words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from connector.mysql.ddl import clauses
from connector.mysql.ddl.columns import read_column, read_column_position
from connector.mysql.ddl.create_table import TableOptions, read_option
from connector.mysql.ddl.data_types import at_charset, read_charset
from connector.mysql.ddl.definitions import PRIMARY
from connector.mysql.ddl.elements import at_constraint, read_constraint, read_elements
from connector.mysql.ddl.literals import read_altered_default
from connector.mysql.ddl.reader import Reader
from connector.mysql.ddl.statements import AlterTable
from connector.mysql.ddl.table_statements import skip_wait

Clauses = list[clauses.AlterClause]


def read_alter_table(reader: Reader, first: int) -> AlterTable:
    """Read the statement from the name of the table on; ``first`` is the token it began with."""
    reader.take("IF", "EXISTS")
    name = reader.table_name()
    skip_wait(reader)
    found: Clauses = []
    while not reader.at_end():
        _clause(reader, found)
        if not reader.take(",") and not reader.at_end() and reader.word not in _LAST:
            raise reader.unexpected("a comma or the end of the statement")
    return AlterTable(reader.text(first), name, tuple(found))


def _clause(reader: Reader, found: Clauses) -> None:
    read = _CLAUSES.get(reader.word)
    if read is not None:
        read(reader, found)
    else:
        _options(reader, found)


def _options(reader: Reader, found: Clauses) -> None:
    """Read table options that follow one another without commas."""
    options = TableOptions()
    while not reader.at_end() and reader.word not in (",", *_LAST):
        read_option(reader, options)
    if options.charset is not None or options.collation is not None:
        found.append(clauses.DefaultCharset(options.charset, options.collation))
    if options.comment is not None:
        found.append(clauses.TableComment(options.comment))


def _add(reader: Reader, found: Clauses) -> None:
    reader.index += 1
    if reader.word == "PARTITION":
        reader.skip_statement()
    elif (reader.word, reader.ahead()) == ("SYSTEM", "VERSIONING"):
        reader.skip_item()
    elif reader.word != "COLUMN" and at_constraint(reader):
        key = read_constraint(reader)
        if key is not None:
            found.append(clauses.AddKey(key))
    else:
        _add_columns(reader, found)


def _add_columns(reader: Reader, found: Clauses) -> None:
    reader.take("COLUMN")
    if_not_exists = reader.take("IF", "NOT", "EXISTS")
    if reader.word == "(":
        found.append(clauses.AddElements(tuple(read_elements(reader, doubled=True)), if_not_exists))
    else:
        definition = read_column(reader, reader.name())
        found.append(clauses.AddColumn(definition, read_column_position(reader), if_not_exists))


def _change(reader: Reader, found: Clauses) -> None:
    reader.index += 1
    reader.take("COLUMN")
    if_exists = reader.take("IF", "EXISTS")
    old = reader.name()
    definition = read_column(reader, reader.name())
    found.append(clauses.ChangeColumn(old, definition, read_column_position(reader), if_exists))


def _modify(reader: Reader, found: Clauses) -> None:
    reader.index += 1
    reader.take("COLUMN")
    if_exists = reader.take("IF", "EXISTS")
    definition = read_column(reader, reader.name())
    found.append(clauses.ModifyColumn(definition, read_column_position(reader), if_exists))


def _drop(reader: Reader, found: Clauses) -> None:
    reader.index += 1
    if reader.take("PRIMARY", "KEY"):
        found.append(clauses.DropPrimaryKey())
    elif reader.word == "PARTITION":
        reader.skip_statement()
    elif reader.take_any("KEY", "INDEX", "CONSTRAINT"):
        reader.take("IF", "EXISTS")
        if reader.name().upper() == PRIMARY:
            found.append(clauses.DropPrimaryKey())
        reader.skip_item()
    elif reader.word in _DROPPED or (reader.word, reader.ahead()) in _DROPPED_PAIRS:
        reader.skip_item()
    else:
        reader.take("COLUMN")
        reader.take("IF", "EXISTS")
        found.append(clauses.DropColumn(reader.name()))
        reader.take_any("RESTRICT", "CASCADE")


def _alter(reader: Reader, found: Clauses) -> None:
    reader.index += 1
    if reader.word in ("INDEX", "KEY", "CHECK", "CONSTRAINT"):
        reader.skip_item()
        return
    reader.take("COLUMN")
    if_exists = reader.take("IF", "EXISTS")
    name = reader.name()
    if reader.take("DROP", "DEFAULT"):
        found.append(clauses.AlterDefault(name, has_default=False, if_exists=if_exists))
    elif reader.take("SET", "DEFAULT"):
        given, text = read_altered_default(reader)
        if given:
            found.append(clauses.AlterDefault(name, True, text, if_exists))
    else:
        reader.expect("SET")
        if not reader.take_any("VISIBLE", "INVISIBLE"):
            raise reader.unexpected("DEFAULT, VISIBLE or INVISIBLE")


def _rename(reader: Reader, found: Clauses) -> None:
    reader.index += 1
    if reader.word in ("INDEX", "KEY") and (reader.ahead(2) == "TO" or reader.ahead() == "IF"):
        reader.skip_item()
    elif reader.take("COLUMN"):
        if_exists = reader.take("IF", "EXISTS")
        old = reader.name()
        reader.expect("TO")
        found.append(clauses.RenameColumn(old, reader.name(), if_exists))
    else:
        reader.take_any("TO", "AS", "=")
        found.append(clauses.RenameTo(reader.table_name()))


def _convert(reader: Reader, found: Clauses) -> None:
    reader.index += 1
    if reader.take("PARTITION"):
        reader.name()
        reader.expect("TO", "TABLE")
        found.append(clauses.SplitOff(reader.table_name()))
        reader.skip_statement()
    elif reader.take("TABLE"):
        found.append(clauses.TakeIn(reader.table_name()))
        reader.skip_statement()
    else:
        reader.expect("TO")
        if not at_charset(reader):
            raise reader.unexpected("CHARACTER SET")
        charset = None if reader.take("DEFAULT") else read_charset(reader)
        collation = read_charset(reader) if reader.take("COLLATE") else None
        found.append(clauses.ConvertCharset(charset, collation))


def _nothing(reader: Reader, _found: Clauses) -> None:
    """Step over a clause that leaves the shape of the table as it is."""
    reader.index += 1
    reader.skip_item()


def _rest(reader: Reader, _found: Clauses) -> None:
    """Step over work on partitions, which ends a statement."""
    reader.skip_statement()


def _order_by(reader: Reader, _found: Clauses) -> None:
    """Step over ORDER BY with its columns; after a comma a clause may follow instead of one."""
    reader.expect("ORDER", "BY")
    while True:
        reader.name()
        reader.take_any("ASC", "DESC")
        if reader.word != "," or reader.ahead(2) not in (",", ";", "", "ASC", "DESC"):
            return
        reader.index += 1


_LAST: Final = ("PARTITION", "REMOVE")  # what may follow a clause without a comma
_DROPPED: Final = frozenset({"FOREIGN", "CHECK"})
_DROPPED_PAIRS: Final = frozenset({("PERIOD", "FOR"), ("SYSTEM", "VERSIONING")})
_SKIPPED_WORDS: Final = (
    "ALGORITHM LOCK FORCE ENABLE DISABLE SECONDARY_LOAD SECONDARY_UNLOAD WITH WITHOUT"
)
_PARTITION_WORK: Final = (
    "PARTITION DISCARD IMPORT COALESCE REORGANIZE EXCHANGE TRUNCATE ANALYZE CHECK OPTIMIZE "
    "REBUILD REPAIR REMOVE UPGRADE"
)
_CLAUSES: Final[dict[str, Callable[[Reader, Clauses], None]]] = {
    **dict.fromkeys(_SKIPPED_WORDS.split(), _nothing),
    **dict.fromkeys(_PARTITION_WORK.split(), _rest),
    "ORDER": _order_by,
    "ADD": _add,
    "CHANGE": _change,
    "MODIFY": _modify,
    "DROP": _drop,
    "ALTER": _alter,
    "RENAME": _rename,
    "CONVERT": _convert,
}
