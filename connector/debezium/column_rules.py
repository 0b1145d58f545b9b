"""Rules for single columns: truncated, masked and hashed values, and source types in schemas.

Debezium applies only the first rule that fits a column, in the order of `_KINDS`. Here a rule
that hides values holds in any case, also where another one comes first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from connector import names
from connector.capture.columns import ColumnCodec
from connector.capture.selection import any_of
from connector.capture.tables import Column, TableId
from connector.codegen import Expression, call
from connector.debezium.hashing import hasher
from connector.errors import ConfigError

_TEXT_TYPES: Final = frozenset((1, 12, -1, -9, -15, -16, 70, 2005, 2011))  # JDBC types
ChangeCodec = Callable[[ColumnCodec], ColumnCodec]


class _ConvertedField(Protocol):
    """How a column is read from the log, as far as it is known here."""

    convert: Expression


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What happens to the columns that fit; ``hides``: values must not be seen."""

    fits: Callable[[TableId, Column], bool]
    change: ChangeCodec
    hides: bool = False


@dataclass(frozen=True, slots=True)
class ColumnRules:
    """All rules of a connector, in the order in which they are asked."""

    rules: tuple[ColumnRule, ...] = ()

    def apply(self, table: TableId, codec: ColumnCodec) -> ColumnCodec:
        """Return the codec of a column of the value, as the rules want it."""
        fitting = [rule for rule in self.rules if rule.fits(table, codec.column)]
        hiding = next((rule for rule in fitting if rule.hides), None)
        for rule in dict.fromkeys((*fitting[:1], *([hiding] if hiding else []))):
            codec = rule.change(codec)
        return codec

    def hides(self, table: TableId, column: Column) -> bool:
        """Whether values of a column must not be seen."""
        return any(rule.hides and rule.fits(table, column) for rule in self.rules)


def column_rules(config: Mapping[str, str]) -> ColumnRules:
    """Read the rules of a connector's configuration.

    :raises ConfigError: naming the key whose value cannot be used.
    """
    return ColumnRules(
        tuple(
            rule
            for pattern, build in _KINDS
            for key, value in config.items()
            if (match := pattern.fullmatch(key)) and value
            for rule in build(key, value, match)
        )
    )


def faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with each key of a rule."""
    found = {}
    for key, value in config.items():
        try:
            column_rules({key: value})
        except ConfigError as error:
            found[key] = str(error)
    return found


def _truncating(key: str, value: str, match: re.Match[str]) -> Iterator[ColumnRule]:
    limit = int(match[1])

    def change(codec: ColumnCodec) -> ColumnCodec:
        if codec.column.length is not None and codec.column.length <= limit:
            return codec
        codec = _with_parameters(codec, {"truncateLength": str(limit)})
        if codec.schema.type not in ("string", "bytes") or codec.schema.name in _NOT_CUT:
            return codec
        return _map_values(codec, lambda content: cut(content, limit))

    yield ColumnRule(_columns_by_name(key, value), change)


_NOT_CUT: Final = frozenset((names.CONNECT_DECIMAL, names.BITS))  # bytes that are no byte strings


def _masking(key: str, value: str, match: re.Match[str]) -> Iterator[ColumnRule]:
    mask = "*" * int(match[1])
    yield ColumnRule(_columns_by_name(key, value), lambda codec: _mask(codec, mask), hides=True)


def _mask(codec: ColumnCodec, mask: str) -> ColumnCodec:
    """Put the mask in place of every value, also of NULL."""
    codec = _with_parameters(codec, {"masked": "true"})
    if codec.column.jdbc_type not in _TEXT_TYPES:
        return codec
    constant = Expression("@mask", {"mask": mask})
    read = codec.from_log

    def from_log(wire: Any) -> _ConvertedField:
        return replace(read(wire), convert=constant)  # type: ignore[no-any-return]

    return codec.with_changes(from_text=constant, from_log=from_log, absent=mask, unavailable=mask)


def _hashing(key: str, value: str, match: re.Match[str], version: int) -> Iterator[ColumnRule]:
    digest = hasher(key, match[1], match[2], version)

    def change(codec: ColumnCodec) -> ColumnCodec:
        codec = _with_parameters(codec, {"masked": "true"})
        if codec.column.jdbc_type not in _TEXT_TYPES:
            return codec
        length = codec.column.length or None
        return _map_values(codec, lambda text: digest(text)[:length])

    yield ColumnRule(_columns_by_name(key, value), change, hides=True)


def _propagating(key: str, value: str, match: re.Match[str]) -> Iterator[ColumnRule]:
    fits = _columns_by_name(key, value)
    if match[1] == "datatype":
        matches = any_of(key, value)

        def fits(table: TableId, column: Column) -> bool:
            return matches(f"{table}.{column.type_name}")

    yield ColumnRule(fits, lambda codec: _with_parameters(codec, _source_type(codec.column)))


def _source_type(column: Column) -> dict[str, str]:
    found = {
        "type": column.type_name.upper(),
        "length": column.length,
        "scale": column.scale,
        "comment": column.comment or None,
        "name": column.name,
    }
    return {
        names.SOURCE_COLUMN + name: str(value) for name, value in found.items() if value is not None
    }


_KINDS: Final[tuple[tuple[re.Pattern[str], Any], ...]] = (
    (re.compile(r"column\.truncate\.to\.(\d+)\.chars"), _truncating),
    (re.compile(r"column\.mask\.with\.(\d+)\.chars"), _masking),
    (re.compile(r"(column)\.propagate\.source\.type"), _propagating),
    (re.compile(r"(datatype)\.propagate\.source\.type"), _propagating),
    (
        re.compile(r"column\.mask\.hash\.([^.]+)\.with\.salt\.(.+)"),
        lambda key, value, match: _hashing(key, value, match, 1),
    ),
    (
        re.compile(r"column\.mask\.hash\.v2\.([^.]+)\.with\.salt\.(.+)"),
        lambda key, value, match: _hashing(key, value, match, 2),
    ),
)


def _columns_by_name(key: str, value: str) -> Callable[[TableId, Column], bool]:
    matches = any_of(key, value)
    return lambda table, column: matches(f"{table}.{column.name}")


def _with_parameters(codec: ColumnCodec, parameters: dict[str, str]) -> ColumnCodec:
    merged = {**(codec.schema.parameters or {}), **parameters}
    return codec.with_changes(schema=codec.schema.with_changes(parameters=merged))


def _map_values(codec: ColumnCodec, change: Callable[[Any], Any]) -> ColumnCodec:
    """Let a function change every value but NULL."""
    constants = {
        name: value if value is None else change(value)
        for name, value in (("absent", codec.absent), ("unavailable", codec.unavailable))
    }
    return codec.with_changes(after=call(change), **constants)


def cut(content: str | bytes, limit: int) -> str | bytes:
    """Cut a text or bytes; a text's length is counted in UTF-16 units, as Java does."""
    if isinstance(content, bytes) or len(content) * 2 <= limit:
        return content[:limit]
    if content.isascii() or max(content[:limit], default="") < "\U00010000":
        return content[:limit]
    return content.encode("utf-16-le")[: 2 * limit].decode("utf-16-le", "ignore")
