"""What Debezium 3.6.1 (MySQL) and 3.5.0 (MariaDB) make of statements, as observed.

Each entry of the two files holds statements that Debezium's own parser was given one after the
other in database ``d`` with ``character_set_server=utf8mb4``, the events that it emitted
(database, kind, text, table, name before) and the tables that it knew then.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from connector.capture.change import TableChange
from connector.capture.history.table_json import change_to_json
from connector.capture.tables import Tables
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.events import DdlEvent
from connector.mysql.ddl.tokens import Dialect

FIELDS = (
    "jdbcType typeName charsetName length scale optional autoIncremented generated "
    "hasDefaultValue defaultValueExpression enumValues"
).split()


def observations(dialect: Dialect) -> list[Any]:
    text = Path(__file__).with_name(f"debezium_{dialect}.json").read_text(encoding="utf-8")
    return [
        pytest.param(dialect, entry, id=f"{dialect}-{entry['statements'][-1][:60]}")
        for entry in json.loads(text)
    ]


@pytest.mark.parametrize(("dialect", "entry"), [*observations("mysql"), *observations("mariadb")])
def test_statements_make_the_same_tables_and_events(dialect: Dialect, entry: Any) -> None:
    catalog = Catalog(Tables(), dialect, comments=dialect == "mariadb")
    catalog.variables.set("character_set_server", "utf8mb4", "GLOBAL")
    events = [_event(e) for text in entry["statements"] for e in apply_text(catalog, text, "d")]
    assert events == entry["events"]
    assert {table.id.quoted(): _shape(table) for table in catalog.tables} == entry["tables"]


def _event(event: DdlEvent) -> list[str | None]:
    kind = "CREATE_DATABASE" if event.kind == "DROP_DATABASE" else event.kind  # Debezium's word
    table, previous = event.table, event.previous
    return [
        event.database,
        kind,
        event.statement,
        table.quoted() if table else None,
        previous.quoted() if previous else None,
    ]


def _shape(table: Any) -> dict[str, Any]:
    document = change_to_json(TableChange("CREATE", table.id, table))["table"]
    return {
        "charset": document["defaultCharsetName"],
        "key": document["primaryKeyColumnNames"],
        "columns": [
            [column["name"], *(column.get(field) for field in FIELDS)]
            for column in document["columns"]
        ],
    }
