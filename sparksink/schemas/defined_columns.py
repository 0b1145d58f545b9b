"""Columns as the schema-change topic describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class DefinedColumn:
    """A column of the source: ``type`` is the name of its type, in upper case with modifiers."""

    name: str
    type: str
    length: int | None = None
    scale: int | None = None
    charset: str = ""
    optional: bool = True
    automatic: bool = False
    default: str | None = None
    labels: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """The name of its type without modifiers; one name for all synonyms."""
        name = self.type.partition(" ")[0]
        return _SYNONYMS.get(name, name)

    @property
    def text(self) -> str:
        """Its type as in SQL."""
        inside = ",".join(str(part) for part in (self.length, self.scale) if part is not None)
        return f"{self.type}({inside})" if inside else self.type

    @property
    def is_unsigned(self) -> bool:
        """Whether it has no negative values."""
        return "UNSIGNED" in self.type or "ZEROFILL" in self.type


def parse_defined_column(given: Mapping[str, Any]) -> DefinedColumn:
    """Parse a column of ``tableChanges``."""
    default = given.get("defaultValueExpression")
    return DefinedColumn(
        str(given["name"]),
        str(given["typeName"]).upper(),
        _number(given.get("length")),
        _number(given.get("scale")),
        str(given.get("charsetName") or "").lower(),
        bool(given.get("optional", True)),
        bool(given.get("autoIncremented")),
        None if default is None else str(default),
        tuple(map(str, given.get("enumValues") or ())),
    )


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


_SYNONYMS: Final = {
    "BOOL": "TINYINT", "BOOLEAN": "TINYINT", "INT1": "TINYINT", "INT2": "SMALLINT",
    "INT3": "MEDIUMINT", "MIDDLEINT": "MEDIUMINT", "INT4": "INT", "INTEGER": "INT",
    "INT8": "BIGINT", "SERIAL": "BIGINT", "NUMERIC": "DECIMAL", "FIXED": "DECIMAL",
    "DEC": "DECIMAL", "REAL": "DOUBLE", "FLOAT4": "FLOAT", "FLOAT8": "DOUBLE", "NCHAR": "CHAR",
    "CHARACTER": "CHAR", "NVARCHAR": "VARCHAR", "GEOMCOLLECTION": "GEOMETRYCOLLECTION",
}  # fmt: skip
