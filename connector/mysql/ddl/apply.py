"""Statements applied to a catalog: one function a kind of statement, each returning its events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from connector.capture.tables import TableId
from connector.errors import DdlError
from connector.mysql.ddl import statements as ddl
from connector.mysql.ddl.alteration import Alteration
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.charsets import charset_of_collation
from connector.mysql.ddl.creation import build_table, copy_table
from connector.mysql.ddl.draft import TableDraft
from connector.mysql.ddl.events import DdlEvent

Events = list[DdlEvent]


def apply_statement(catalog: Catalog, statement: ddl.Statement) -> Events:
    """Apply one statement.

    :raises DdlError: when it changes what does not exist.
    """
    return _APPLIED[type(statement)](catalog, statement)


def _create_table(catalog: Catalog, statement: ddl.CreateTable) -> Events:
    table_id = catalog.resolve(statement.name)
    if statement.like is not None:
        return _create_like(catalog, statement, table_id, catalog.resolve(statement.like))
    if catalog.dialect == "mariadb" and (statement.query or not statement.elements):
        return _create_unknown(catalog, statement, table_id)
    known = catalog.tables.get(table_id)
    if known is not None and statement.if_not_exists and not statement.or_replace:
        return []
    charset = catalog.charset_for(table_id.database)
    table = build_table(table_id, statement, charset, catalog.builder)
    if table == known:
        return []  # read again after a restart, or replaced by itself
    catalog.tables.put(table)
    return [DdlEvent("CREATE_TABLE", statement.text, table_id.database, table_id)]


def _create_unknown(catalog: Catalog, statement: ddl.CreateTable, table_id: TableId) -> Events:
    """Create a table whose columns are those of an unknown table, a query or a storage engine.

    :raises DdlError: it replaces a captured table, whose columns would be taken for those of the
        new one.
    """
    if statement.or_replace and table_id in catalog.tables:
        if catalog.captures(table_id):
            raise DdlError(f"Table {table_id} is replaced by one whose columns are unknown.")
        catalog.tables.remove(table_id)
    return []


def _create_like(
    catalog: Catalog, statement: ddl.CreateTable, table_id: TableId, like: TableId
) -> Events:
    original = catalog.tables.get(like)
    known = catalog.tables.get(table_id)
    if original is None:
        return _create_unknown(catalog, statement, table_id)
    if known and statement.if_not_exists:
        if known.columns != original.columns:
            return []
        like = table_id  # Debezium emits the copy; the table stays as it is, with its own key
    else:
        catalog.tables.put(copy_table(original, table_id))
    return [DdlEvent("CREATE_TABLE", statement.text, table_id.database, table_id, origin=like)]


def _alter_table(catalog: Catalog, statement: ddl.AlterTable) -> Events:
    table = catalog.tables.get(catalog.resolve(statement.name))
    if table is None:
        return []
    draft = TableDraft.of(table, catalog.dialect)
    # CONVERT TO CHARACTER SET DEFAULT takes that of the current database in MySQL
    database = catalog.database if catalog.dialect == "mysql" else table.id.database
    charset = catalog.charset_for(database)
    alteration = Alteration(draft, catalog.builder, catalog.resolve, charset)
    alteration.apply(statement.clauses)
    altered = catalog.builder.finish(alteration.draft.table())
    for gone in (table.id, *alteration.gone):
        catalog.tables.remove(gone)
    for made in alteration.made:
        catalog.tables.put(copy_table(altered, made))
    catalog.tables.put(altered)
    origin = None if altered.id == table.id else table.id
    return [DdlEvent("ALTER_TABLE", statement.text, altered.id.database, altered.id, origin=origin)]


def _drop_table(catalog: Catalog, statement: ddl.DropTable) -> Events:
    events = []
    for name in statement.names:
        table_id = catalog.resolve(name)
        catalog.tables.remove(table_id)
        text = statement.prefix + table_id.quoted("`") + statement.suffix
        events.append(DdlEvent("DROP_TABLE", text, table_id.database, table_id))
    return events


def _rename_table(catalog: Catalog, statement: ddl.RenameTable) -> Events:
    events = []
    for pair in statement.pairs:
        old, new = catalog.resolve(pair.old), catalog.resolve(pair.new)
        table = catalog.tables.remove(old)
        if table is not None:
            catalog.tables.put(table.with_changes(id=new))
        events.append(DdlEvent("ALTER_TABLE", pair.text, new.database, new, old, origin=old))
    return events


def _truncate_table(catalog: Catalog, statement: ddl.TruncateTable) -> Events:
    table_id = catalog.resolve(statement.name)
    return [DdlEvent("TRUNCATE_TABLE", statement.text, table_id.database, table_id)]


def _create_index(catalog: Catalog, statement: ddl.CreateIndex) -> Events:
    table_id = catalog.resolve(statement.table)
    table = catalog.tables.get(table_id)
    if table is None or table.primary_key or not catalog.captures(table_id):
        return []
    if any(name is None or table.column(name) is None for name in statement.key.columns):
        return []
    draft = TableDraft.of(table)
    draft.add_key(statement.key)
    catalog.tables.put(draft.table())
    return [DdlEvent("CREATE_INDEX", statement.text, table_id.database, table_id)]


def _view(catalog: Catalog, statement: ddl.View) -> Events:
    table_id = catalog.resolve(statement.name)
    return [DdlEvent(statement.action, statement.text, table_id.database, table_id)]


def _database(catalog: Catalog, statement: ddl.Database) -> Events:
    name = catalog.database if statement.name is None else statement.name
    if statement.action == "drop":
        catalog.forget_database(name)
        return [DdlEvent("DROP_DATABASE", statement.text, name)]
    if statement.or_replace:
        catalog.forget_database(name)
    charset = _database_charset(catalog, statement, name)
    is_kept = statement.if_not_exists and catalog.knows_charset(name)
    if charset is not None and not is_kept:
        catalog.charsets[catalog.database_key(name)] = charset
    if statement.action == "alter":
        return []
    return [DdlEvent("CREATE_DATABASE", statement.text, name)]


def _database_charset(catalog: Catalog, statement: ddl.Database, name: str) -> str | None:
    """Return the charset that a statement gives a database, None if it leaves it as it is."""
    if not catalog.builder.exact:
        return _database_charset_in_debezium(catalog, statement, name)
    charset = catalog.builder.named_charset(statement.charset, statement.collation)
    if charset is None and (statement.action == "create" or statement.charset is not None):
        return catalog.variables.get("character_set_server")
    return charset


def _database_charset_in_debezium(
    catalog: Catalog, statement: ddl.Database, name: str
) -> str | None:
    """Return the charset that Debezium takes from a statement.

    MariaDB's oracle reads neither collations nor DEFAULT here; a collation does not change the
    charset of a database that has one.
    """
    charset = statement.charset
    if charset is not None and charset.lower() != "default":
        return charset
    if catalog.dialect == "mariadb":
        return None
    if charset is not None:
        return catalog.variables.get("character_set_server")
    if statement.collation is None or catalog.database_key(name) in catalog.charsets:
        return None
    return charset_of_collation(statement.collation)


def _use(catalog: Catalog, statement: ddl.UseDatabase) -> Events:
    """Switch the database; the server switches character_set_database with it."""
    catalog.database = statement.name
    charset = catalog.charsets.get(catalog.database_key(statement.name))
    catalog.variables.set("character_set_database", charset)
    return [DdlEvent("USE_DATABASE", statement.text, statement.name)]


def _set(catalog: Catalog, statement: ddl.SetVariables) -> Events:
    events = []
    for assigned in statement.assignments:
        catalog.variables.set(assigned.name, assigned.value, assigned.scope)
        if assigned.name.lower() == "character_set_database":
            catalog.charsets[catalog.database_key(catalog.database)] = assigned.value
        events.append(
            DdlEvent("SET_VARIABLE", statement.text, catalog.database, order=assigned.order)
        )
    return events


def _ignored(_catalog: Catalog, _statement: ddl.Ignored) -> Events:
    return []


_APPLIED: Final[dict[type, Callable[[Catalog, Any], Events]]] = {
    ddl.CreateTable: _create_table,
    ddl.AlterTable: _alter_table,
    ddl.DropTable: _drop_table,
    ddl.RenameTable: _rename_table,
    ddl.TruncateTable: _truncate_table,
    ddl.CreateIndex: _create_index,
    ddl.View: _view,
    ddl.Database: _database,
    ddl.UseDatabase: _use,
    ddl.SetVariables: _set,
    ddl.Ignored: _ignored,
}
