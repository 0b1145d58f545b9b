"""A kind of column: its definition, how the log describes it, its values both ways.

A value is what SQL shows (see `plain`). ``connect`` is its form in an event with the
default options, written by hand from Debezium's documentation of its types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from connector.capture.tables import Column
from connector.mysql.types.fields import Wire
from tests.unit.mysql.binlog.plain import PlainColumn


@dataclass(frozen=True)
class Kind:
    """A kind of column. ``fallback`` stands for NULL in events of a column without NULL."""

    column: Column
    type: int
    meta: bytes
    values: st.SearchStrategy[Any]
    encode: Callable[[Any], bytes]
    connect: Callable[[Any], Any]
    text: Callable[[Any], bytes]
    fallback: Any
    unsigned: bool = False

    @property
    def plain(self) -> PlainColumn:
        return PlainColumn(self.type, self.meta, self.unsigned)

    @property
    def wire(self) -> Wire:
        return Wire(self.type, int.from_bytes(self.meta, "little"))

    def __repr__(self) -> str:
        return f"{self.column.type_name}({self.type}, {self.meta.hex()})"


def column(type_name: str, **attributes: Any) -> Column:
    return Column("c", type_name, 1111, **attributes)


def same(value: Any) -> Any:
    return value


def ascii_text(value: Any) -> bytes:
    return str(value).encode("ascii")
