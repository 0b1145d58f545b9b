r"""Which databases, tables and columns are captured.

The lists are Debezium's: regular expressions separated by commas (``\,`` is a comma inside
one), each matched against the whole name without regard to case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from connector.capture.tables import TableId, parse_table
from connector.config import compile_regex
from connector.errors import ConfigError

Matches = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Selection:
    """The filters of one connector; ``signal_table`` is captured, but no snapshot reads it."""

    database_matches: Matches
    table_matches: Matches
    column_matches: Matches
    builtin: frozenset[str] = frozenset()
    signal_table: TableId | None = None

    def captures_database(self, database: str) -> bool:
        """Whether tables of this database can be captured."""
        return database.lower() not in self.builtin and self.database_matches(database)

    def captures(self, table: TableId) -> bool:
        """Whether the rows of this table are captured."""
        if table == self.signal_table:
            return True
        return self.captures_database(table.database) and self.table_matches(str(table))

    def captures_column(self, table: TableId, column: str) -> bool:
        """Whether this column is part of the events' values."""
        return self.column_matches(f"{table}.{column}")


def selection(config: Mapping[str, str | None], builtin: Iterable[str] = ()) -> Selection:
    """Read the filters of a connector's configuration.

    :param builtin: databases that are never captured.
    :raises ConfigError: a list is no list of regular expressions, or both an include and an
        exclude list of one kind are given.
    """
    return Selection(
        _either(config, "database"),
        _either(config, "table"),
        _either(config, "column"),
        frozenset(name.lower() for name in builtin),
        signal_table(config.get("signal.data.collection")),
    )


def signal_table(name: str | None) -> TableId | None:
    """Read ``signal.data.collection``: the table of signals, which is captured in any case."""
    return parse_table((name or "").strip())


def _either(config: Mapping[str, str | None], kind: str) -> Matches:
    include_key, exclude_key = f"{kind}.include.list", f"{kind}.exclude.list"
    include, exclude = config.get(include_key), config.get(exclude_key)
    if include and exclude:
        raise ConfigError(f'"{exclude_key}" is already specified; use it or {include_key}')
    if include:
        return any_of(include_key, include)
    if exclude:
        excluded = any_of(exclude_key, exclude)
        return lambda name: not excluded(name)
    return lambda _: True


def any_of(key: str, text: str) -> Matches:
    """Return whether a name fits any expression of a list.

    :raises ConfigError: naming the key and the expression that cannot be read.
    """
    patterns = [pattern(key, part) for part in split_list(text)]

    @lru_cache(maxsize=10_000)
    def matches(name: str) -> bool:
        return any(expression.fullmatch(name) for expression in patterns)

    return matches


def split_list(text: str) -> list[str]:
    r"""Split at commas that are not escaped; ``\,`` becomes a comma."""
    parts = re.split(r"(?<!\\),", text)
    return [part.strip().replace("\\,", ",") for part in parts if part.strip()]


def pattern(key: str, text: str) -> re.Pattern[str]:
    """Compile one expression, which fits in any case.

    :raises ConfigError: naming the key and the text.
    """
    return compile_regex(key, text, re.IGNORECASE)
