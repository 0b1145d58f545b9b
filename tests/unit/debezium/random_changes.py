"""Random tables and changes of their rows, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from connector.capture.change import Operation, RowChanges
from connector.capture.columns import ColumnCodec
from connector.capture.selection import selection
from connector.capture.source_block import source_block
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table, TableId
from connector.codegen import Expression
from connector.data.schema import INT32, OPTIONAL_STRING, Field
from connector.debezium.events import EventOptions, context_headers
from connector.debezium.table_schemas import TableSchemas, key_columns
from connector.debezium.topics import TopicNaming
from tests.unit.data.random_values import ROWS, values_of

SOURCE = source_block(
    "acme", ("table", OPTIONAL_STRING), ("row", INT32), ("query", OPTIONAL_STRING)
)
ROW_SLOT = 10
NAMING = TopicNaming("srv")
OPTIONS = st.builds(
    lambda tombstones, transactions, named: EventOptions(
        connector="acme",
        naming=NAMING,
        source=SOURCE,
        row_slot=ROW_SLOT,
        tombstones=tombstones,
        transactions=transactions,
        context_headers=context_headers("acme", "srv", 0, "run") if named else (),
        now=lambda: 1795226600123456789,
    ),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
_OPERATIONS: tuple[Operation, ...] = ("c", "u", "d", "r")


def codec_for(
    members: tuple[Field, ...],
    key: tuple[str, ...] = (),
    *,
    table: TableId = TableId("shop", "orders"),  # noqa: B008 - immutable
    key_setting: str | None = None,
    hidden: str | None = None,
) -> TableEventSchema:
    """Build the codec of a table with such columns."""
    columns = tuple(
        Column(field.name, "ANY", 1111, position=number, optional=field.schema.optional)
        for number, field in enumerate(members, 1)
    )
    schemas = {field.name: field.schema for field in members}
    built = TableSchemas(
        NAMING,
        SOURCE,
        selection({"column.exclude.list": hidden}),
        lambda _, column: ColumnCodec(column, schemas[column.name], Expression(), None),
        key_columns(key_setting),
    )
    return built.of(Table(table, columns, key))


@st.composite
def codecs(draw: st.DrawFn) -> TableEventSchema:
    """Codecs of tables with any columns and any key, or none."""
    members = draw(ROWS).fields
    distinct = {field.name.lower(): field for field in members}
    names = [field.name for field in distinct.values()]
    key = draw(st.lists(st.sampled_from(names), max_size=2, unique=True)) if names else []
    database = draw(st.sampled_from(["shop", "dätä base"]))
    return codec_for(tuple(distinct.values()), tuple(key), table=TableId(database, "orders"))


def row_of(draw: st.DrawFn, codec: TableEventSchema) -> tuple[Any, ...]:
    return tuple(draw(values_of(column.schema)) for column in codec.columns)


@st.composite
def changes_of(draw: st.DrawFn, codec: TableEventSchema) -> RowChanges:
    op = draw(st.sampled_from(_OPERATIONS))
    rows = []
    for _ in range(draw(st.integers(0, 3))):
        before = row_of(draw, codec)
        after = row_of(draw, codec)
        if draw(st.booleans()):  # an update that keeps the key
            after = tuple(
                before[slot] if slot in codec.key_slots else value
                for slot, value in enumerate(after)
            )
        rows.append((None if op in "cr" else before, None if op == "d" else after))
    source = tuple(draw(values_of(field.schema)) for field in SOURCE.fields)
    first = None if op == "r" else draw(st.integers(0, 300))
    return RowChanges(codec, op, rows, source, first)


@st.composite
def changes(draw: st.DrawFn, tables: int = 2, most: int = 4) -> list[RowChanges]:
    """Changes of rows of some tables, in any order."""
    known = [draw(codecs()) for _ in range(tables)]
    count = draw(st.integers(1, most))
    return [draw(changes_of(draw(st.sampled_from(known)))) for _ in range(count)]
