"""DDL statements as records of the schema change topic."""

from __future__ import annotations

from typing import Any

from connector.capture.change import SchemaChange, TableChange
from connector.capture.tables import Column, Table
from connector.data.record import Record
from connector.data.schema import Schema
from connector.debezium.schemas import schema_change_key, schema_change_value


class SchemaEvents:
    """Makes the records of one connector's schema change topic."""

    def __init__(self, connector: str, source: Schema, topic: str) -> None:
        self._topic = topic
        self._source = source
        self._key = schema_change_key(connector)
        self._value = schema_change_value(connector, source)

    def record(self, change: SchemaChange, now_ms: int) -> Record:
        """Make the record; it goes to partition 0, so that the statements keep their order."""
        names = (field.name for field in self._source.fields)
        value = {
            "source": dict(zip(names, change.source, strict=True)),
            "ts_ms": now_ms,
            "databaseName": change.database,
            "schemaName": change.schema,
            "ddl": change.ddl,
            "tableChanges": [_change(table_change) for table_change in change.changes],
        }
        key = {"databaseName": change.database}
        return Record(self._topic, 0, self._key, key, self._value, value)


def _change(change: TableChange) -> dict[str, Any]:
    return {
        "type": change.type,
        "id": change.id.quoted(),
        "table": None if change.table is None else _table(change.table),
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "defaultCharsetName": table.default_charset,
        "primaryKeyColumnNames": list(table.primary_key),
        "columns": [_column(column) for column in table.columns],
        "comment": table.comment,
    }


def _column(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "jdbcType": column.jdbc_type,
        "nativeType": column.native_type,
        "typeName": column.type_name,
        "typeExpression": column.type_expression,
        "charsetName": column.charset,
        "length": column.length,
        "scale": column.scale,
        "position": column.position,
        "optional": column.optional,
        "autoIncremented": column.auto_incremented,
        "generated": column.generated,
        "comment": column.comment,
        "defaultValueExpression": column.default,
        "enumValues": list(column.enum_values) or None,
    }
