"""DROP, RENAME and TRUNCATE TABLE, CREATE UNIQUE INDEX and DROP INDEX."""

from __future__ import annotations

from connector.mysql.ddl.clauses import DropPrimaryKey
from connector.mysql.ddl.definitions import PRIMARY, KeyDefinition
from connector.mysql.ddl.elements import read_key_columns, skip_index_options
from connector.mysql.ddl.reader import Reader
from connector.mysql.ddl.statements import (
    AlterTable,
    CreateIndex,
    DropTable,
    Ignored,
    RenamePair,
    RenameTable,
    TruncateTable,
)


def read_drop_table(reader: Reader, first: int) -> DropTable:
    """Read the statement from IF EXISTS or the first name on."""
    reader.take("IF", "EXISTS")
    prefix = reader.until(first, reader.index)
    names = [reader.table_name()]
    while reader.take(","):
        names.append(reader.table_name())
    skip_wait(reader)
    suffix = f" {reader.raw()}" if reader.word in ("RESTRICT", "CASCADE") else ""
    if reader.dialect == "mysql":
        suffix = suffix.upper()
    return DropTable(tuple(names), prefix, suffix)


def skip_wait(reader: Reader) -> None:
    """Step over MariaDB's ``WAIT seconds`` or ``NOWAIT``."""
    if reader.take("WAIT"):
        reader.raw()
    reader.take("NOWAIT")


def read_rename_table(reader: Reader, first: int) -> RenameTable:
    """Read the statement from the first name on."""
    reader.take("IF", "EXISTS")
    prefix = reader.until(first, reader.index)
    pairs = [_pair(reader, prefix)]
    while reader.take(","):
        pairs.append(_pair(reader, prefix))
    return RenameTable(tuple(pairs))


def _pair(reader: Reader, prefix: str) -> RenamePair:
    first = reader.index
    old = reader.table_name()
    skip_wait(reader)
    reader.expect("TO")
    new = reader.table_name()
    return RenamePair(prefix + reader.text(first), old, new)


def read_truncate(reader: Reader, first: int) -> TruncateTable:
    """Read the statement from TRUNCATE on."""
    reader.index += 1
    reader.take("TABLE")
    name = reader.table_name()
    skip_wait(reader)
    return TruncateTable(reader.text(first), name)


def read_drop_index(reader: Reader, first: int) -> AlterTable | Ignored:
    """Read the statement from the name of the index on; only that of the primary key matters."""
    reader.take("IF", "EXISTS")
    is_primary = reader.name().upper() == PRIMARY
    reader.expect("ON")
    table = reader.table_name()
    reader.skip_statement()
    if not is_primary:
        return Ignored()
    return AlterTable(reader.text(first), table, (DropPrimaryKey(),))


def read_unique_index(reader: Reader, first: int) -> CreateIndex:
    """Read the statement from INDEX on; its text begins with token ``first``."""
    reader.expect("INDEX")
    reader.take("IF", "NOT", "EXISTS")
    reader.name()
    while reader.word != "ON":
        if reader.at_end():
            raise reader.unexpected("ON")
        reader.index += 1
    reader.index += 1
    table = reader.table_name()
    columns = read_key_columns(reader)
    skip_index_options(reader)
    return CreateIndex(reader.text(first), table, KeyDefinition(primary=False, columns=columns))
