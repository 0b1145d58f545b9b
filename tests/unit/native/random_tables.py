"""Random tables whose columns have any representation, with their events and codecs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from connector.capture.selection import selection
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.debezium.column_rules import column_rules
from connector.debezium.table_schemas import SchemaOptions, TableSchemas, key_columns
from connector.mysql.binlog.events import RowsChanged, TableMapped
from connector.mysql.binlog.parser import EventParser
from connector.mysql.binlog.row_decoding import TablePlan
from connector.mysql.types import codec_of, fields
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures import fields_as_bytes as write
from tests.fixtures.random_changes import NAMING, SOURCE
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import RandomTable, rows_of, tables
from tests.unit.mysql.binlog.kind import Kind, column, same
from tests.unit.mysql.binlog.kinds import KINDS
from tests.unit.mysql.types.binary_documents import DOCUMENTS, document

LETTERS = {written.WRITE: "c", written.UPDATE: "u", written.DELETE: "d"}
TYPE_OPTIONS = st.builds(
    TypeOptions,
    time_precision=st.sampled_from(
        ["adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"]
    ),
    decimal=st.sampled_from(["precise", "double", "string"]),
    unsigned_bigint=st.sampled_from(["long", "precise"]),
    binary=st.sampled_from(["bytes", "base64", "hex"]),
    adjust_years=st.booleans(),
    exact=st.booleans(),
    flavor=st.sampled_from(["mysql", "mariadb"]),
)
RULES = st.sampled_from(
    [{}, {"column.mask.with.3.chars": ".*c1"}, {"column.truncate.to.4.chars": ".*c[02]"}]
)
_CHARSETS = "latin1 ascii cp1251 greek tis620 dec8 swe7 keybcs2 sjis gbk utf16 utf8mb4 binary"


def text_of(charset: str) -> Kind:
    """Text of any bytes, also such as the character set does not have."""
    attributes: dict[str, Any] = {"charset": charset, "length": 100}
    values = st.binary(max_size=40) | st.text(max_size=40).map(str.encode)
    values |= st.text('abc"\\\n\x01\x1f\x7f/<é€😀', max_size=50).map(str.encode)
    return Kind(
        column("VARCHAR", **attributes),
        fields.VARCHAR,
        b"\x90\x01",
        values,
        lambda value: write.prefixed(value, 2),
        same,
        same,
        "",
    )


def _document() -> Kind:
    documents = st.builds(
        lambda value, large: document(value, large=large), DOCUMENTS, st.booleans()
    )
    return Kind(
        column("JSON"),
        fields.JSON,
        b"\x04",
        documents,
        lambda value: write.prefixed(value, 4),
        same,
        same,
        "{}",
    )


def _boolean() -> Kind:
    return Kind(
        column("BOOLEAN"),
        fields.TINY,
        b"",
        st.integers(-128, 127),
        write.integer(1, signed=True).pack,
        same,
        same,
        False,
    )


def _year() -> Kind:
    return Kind(
        column("YEAR"), fields.YEAR, b"", st.integers(0, 255), lambda y: bytes([y]), same, same, 0
    )


def _geometry(name: str, values: st.SearchStrategy[bytes]) -> Kind:
    """Geometries of any bytes, also such as no server accepts."""
    return Kind(
        column(name),
        fields.GEOMETRY,
        b"\x04",
        values,
        lambda value: write.prefixed(value, 4),
        same,
        same,
        b"",
    )


_NO_SRID = st.binary(min_size=21, max_size=21).map(bytes(4).__add__)
ALL_KINDS = [*KINDS, *map(text_of, _CHARSETS.split()), _document(), _boolean(), _year()]
ALL_KINDS += [
    _geometry("GEOMETRY", st.binary(max_size=40) | _NO_SRID),
    _geometry("POINT", st.binary(min_size=25, max_size=25) | _NO_SRID),
]


@dataclass(frozen=True)
class Described:
    """A random table with the codec of its events."""

    table: RandomTable
    codec: TableEventSchema

    def plan(self) -> TablePlan:
        mapped = parsed(written.table_map(self.table.kinds))
        assert isinstance(mapped, TableMapped)
        return TablePlan(self.codec, mapped.table_map)

    def event(self, kind: int, images: bytes) -> RowsChanged:
        present = [(True,) * len(self.table.kinds)] * (1 + (kind == written.UPDATE))
        parser = EventParser(checksums=False)
        _read(parser, written.table_map(self.table.kinds))
        changed = _read(parser, written.rows(kind, images, present))
        assert isinstance(changed, RowsChanged)
        return changed


def _read(parser: EventParser, event: bytes) -> Any:
    return parser.event(event, 0, len(event) - parser.trailer)


def parsed(event: bytes) -> Any:
    return _read(EventParser(checksums=False), event)


def described(
    table: RandomTable,
    key: Sequence[str],
    options: TypeOptions,
    rules: dict[str, str],
    *,
    excluded: str | None = None,
) -> Described:
    """Describe a table; its values lack an excluded column, which its key may have."""
    schemas = TableSchemas(
        NAMING,
        SOURCE,
        selection({} if excluded is None else {"column.exclude.list": f"shop.orders.{excluded}"}),
        lambda _, known: codec_of(known, options),
        key_columns(None),
        SchemaOptions(column_rules(rules)),
    )
    definition = Table(TableId("shop", "orders"), table.columns, tuple(key))
    return Described(table, schemas.of(definition))


@st.composite
def described_tables(draw: st.DrawFn, most: int = 8) -> Described:
    table = draw(tables(most=most, kinds=ALL_KINDS))
    names = [known.name for known in table.columns]
    key = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    return described(table, key, draw(TYPE_OPTIONS), draw(RULES))


@st.composite
def images_of(draw: st.DrawFn, table: RandomTable, kind: int, most: int = 4) -> bytes:
    """The images of some rows; updates often keep all columns but one."""
    present = (True,) * len(table.kinds)
    images = []
    for _ in range(draw(st.integers(1, most))):
        row = draw(rows_of(table))
        images.append(table.image(row, present))
        if kind == written.UPDATE:
            changed = list(row)
            at = draw(st.integers(0, len(row) - 1))
            changed[at] = draw(rows_of(table))[at]
            images.append(table.image(tuple(changed), present))
    return b"".join(images)
