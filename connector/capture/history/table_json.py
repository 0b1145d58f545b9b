"""Tables and their changes as the JSON of schema history records, both ways.

The keys and their order are Debezium's. A DROP has neither ``table`` nor ``comment``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from connector.capture.change import TableChange
from connector.capture.tables import Column, Table, TableId
from connector.errors import HistoryError

Json = dict[str, Any]


def change_to_json(change: TableChange) -> Json:
    """Return one element of ``tableChanges``."""
    document: Json = {"type": change.type, "id": change.id.quoted()}
    if change.previous_id is not None:
        document["previousId"] = change.previous_id.quoted()
    if change.table is not None:
        document["table"] = _table_to_json(change.table)
        document["comment"] = change.table.comment
    return document


def _table_to_json(table: Table) -> Json:
    return {
        "defaultCharsetName": table.default_charset,
        "primaryKeyColumnNames": list(table.primary_key),
        "columns": [_column_to_json(column) for column in table.columns],
        "attributes": [],
    }


def _column_to_json(column: Column) -> Json:
    document: Json = {"name": column.name, "jdbcType": column.jdbc_type}
    if column.native_type is not None:
        document["nativeType"] = column.native_type
    document["typeName"] = column.type_name
    document["typeExpression"] = column.type_expression
    document["charsetName"] = column.charset
    if column.length is not None:
        document["length"] = column.length
    if column.scale is not None:
        document["scale"] = column.scale
    document["position"] = column.position
    document["optional"] = column.optional
    document["autoIncremented"] = column.auto_incremented
    document["generated"] = column.generated
    document["comment"] = column.comment
    document["hasDefaultValue"] = column.has_default
    if column.default is not None:
        document["defaultValueExpression"] = column.default
    document["enumValues"] = list(column.enum_values)
    return document


def change_from_json(document: Json) -> TableChange:
    """Read one element of ``tableChanges``; records of older versions lack some keys.

    :raises HistoryError: for what is no change of a table.
    """
    try:
        kind = document["type"]
        table_id = parse_table_id(document["id"])
        previous = document.get("previousId")
        table = None if kind == "DROP" else _table_from_json(table_id, document)
        return TableChange(kind, table_id, table, parse_table_id(previous) if previous else None)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise HistoryError(
            f"The schema history holds an unreadable table change: {error}."
        ) from error


def _table_from_json(table_id: TableId, document: Json) -> Table:
    table = document["table"]
    columns = tuple(_column(orjson.dumps(column)) for column in table["columns"])
    return Table(
        table_id,
        columns,
        tuple(table["primaryKeyColumnNames"]),
        table.get("defaultCharsetName"),
        table.get("comment"),  # Debezium looks only here, where it writes none: a restart loses it
    )


@lru_cache(maxsize=10_000)
def _column(text: bytes) -> Column:
    """Read a column; in a history the same ones come over and over."""
    document = orjson.loads(text)
    default = document.get("defaultValueExpression")
    optional = document["optional"]
    return Column(
        document["name"],
        document["typeName"],
        document["jdbcType"],
        document.get("typeExpression"),
        document.get("nativeType"),
        document.get("charsetName"),
        document.get("length"),
        document.get("scale"),
        document["position"],
        optional,
        document["autoIncremented"],
        document["generated"],
        document.get("comment"),
        bool(document.get("hasDefaultValue")) or default is not None or optional,
        default,
        tuple(document.get("enumValues") or ()),
    )


def parse_table_id(text: str) -> TableId:
    """Read ``"database"."table"``, quoted by any of the three quotes or not at all.

    :raises ValueError: when there are not two parts.
    """
    parts = []
    rest = text.strip()
    while rest:
        quote = rest[0] if rest[0] in "\"'`" else ""
        end = _closing(rest, quote) if quote else (rest + ".").index(".")
        part = rest[1:end].replace(quote * 2, quote) if quote else rest[:end].strip()
        parts.append(part)
        rest = rest[end + bool(quote) :].strip().removeprefix(".").strip()
    if len(parts) == 1:
        parts.insert(0, "")
    if len(parts) == 3:  # a catalog, a schema that MySQL does not have, a table
        del parts[1]
    database, table = parts
    return TableId(database, table)


def _closing(text: str, quote: str) -> int:
    """Return the index of the quote that closes the one at the beginning."""
    index = text.index(quote, 1)
    while text[index : index + 2] == quote * 2:
        index = text.index(quote, index + 2)
    return index
