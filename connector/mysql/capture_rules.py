"""The rules that select databases, tables and columns, held against what the server has.

An account without SELECT sees no tables, and a misspelled rule matches none: both look like an
idle connector, so both are found here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from connector.capture.change import Notice
from connector.capture.selection import Selection, pattern, split_list
from connector.capture.tables import Table, TableId, Tables
from connector.errors import AccessDeniedError, StopError
from connector.mysql.options import CaptureOptions
from connector.mysql.schema.definitions import DefinitionReader
from connector.mysql.session.connection import Connection, quote

log = logging.getLogger(__name__)

_LITERAL: Final = re.compile(r"[\w$-]+", re.ASCII)
_GRANT: Final = re.compile(r"GRANT (?P<privileges>.+?) ON (?P<scope>(?:`[^`]*`|\*)\.\S+) TO ")
_DATABASES: Final = ("database.include.list", "database.exclude.list")
_TABLES: Final = ("table.include.list", "table.exclude.list", "snapshot.include.collection.list")
_COLUMNS: Final = ("column.include.list", "column.exclude.list")
_SIMILAR: Final = 3  # names that are suggested
_NAMED: Final = 10  # tables in a line of the log
_MOST_COMPARED: Final = 2_000
_READABLE: Final = ("SELECT", "ALL PRIVILEGES", "ALL")


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An expression of a list that matches nothing on the server; ``alike`` are similar names."""

    key: str
    expression: str
    alike: tuple[str, ...] = ()

    def __str__(self) -> str:
        kind = self.key.partition(".")[0] if not self.key.startswith("snapshot") else "table"
        likely = f"; similar: {', '.join(self.alike)}" if self.alike else ""
        return f"{self.key}: {self.expression} matches no {kind} that this user sees{likely}"

    def matches(self, tables: Iterable[Table]) -> bool:
        """Whether the expression matches one of some tables, its database or its columns."""
        matching = pattern(self.key, self.expression).fullmatch
        if self.key in _DATABASES:
            return any(matching(table.id.database) for table in tables)
        if self.key in _TABLES:
            return any(matching(str(table.id)) for table in tables)
        return any(
            matching(f"{table.id}.{column.name}") for table in tables for column in table.columns
        )


class CaptureRules:
    """The lists of one connector's configuration."""

    def __init__(self, config: Mapping[str, str], selection: Selection) -> None:
        self._lists = {
            key: split_list(config[key])
            for key in (*_DATABASES, *_TABLES, *_COLUMNS)
            if config.get(key)
        }
        self._selection = selection

    def check_select(self, connection: Connection) -> None:
        """Refuse a user who may not read the tables that are named.

        :raises AccessDeniedError: with the GRANT to run.
        """
        scopes = _select_scopes(_grants(connection))
        if scopes is None or "*.*" in scopes:
            return
        missing = [name for name in self._captured_names() if not _covers(name, scopes)]
        if not missing and not (scopes or self._captured_names()):
            missing = ["*"]
        if missing:
            row = connection.row("SELECT CURRENT_USER()")
            name, _, host = str(row[0] if row else "").rpartition("@")
            user = f"'{name}'@'{host}'"
            grants = " ".join(f"GRANT SELECT ON {_scope(target)} TO {user};" for target in missing)
            raise AccessDeniedError(
                f"The user {user} has no SELECT privilege on {', '.join(missing)}, so its tables "
                "are not visible.",
                f"Run {grants}",
            )

    def find_unmatched(self, connection: Connection) -> list[Unmatched]:
        """Return the expressions that match nothing the user sees."""
        if not self._lists:
            return []
        tables = DefinitionReader(connection, lambda _: True).tables()
        databases = [str(name) for (name,) in connection.rows("SHOW DATABASES")]
        return [
            *self._without_match(_DATABASES, databases),
            *self._without_match(_TABLES, map(str, tables)),
            *self._without_match(_COLUMNS, self._columns(connection, tables)),
        ]

    def _without_match(self, keys: Iterable[str], names: Iterable[str]) -> Iterator[Unmatched]:
        lists = {key: self._lists[key] for key in keys if key in self._lists}
        found = list(names) if lists else []
        for key, expressions in lists.items():
            for text in expressions:
                expression = pattern(key, text)
                if not any(expression.fullmatch(name) for name in found):
                    plain = text.replace("\\.", ".")
                    alike = get_close_matches(plain, found[:_MOST_COMPARED], _SIMILAR)
                    yield Unmatched(key, text, tuple(alike))

    def _columns(self, connection: Connection, tables: Iterable[TableId]) -> Iterator[str]:
        captured = {str(table) for table in tables if self._selection.captures(table)}
        rows = connection.each_row(
            "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS"
        )
        for database, table, column in rows:
            if f"{database}.{table}" in captured:
                yield f"{database}.{table}.{column}"

    def _captured_names(self) -> list[str]:
        """Return the databases and tables that include lists name literally."""
        databases = self._lists.get("database.include.list", [])
        named = [name for name in databases if _LITERAL.fullmatch(name)]
        for text in self._lists.get("table.include.list", []):
            database, _, table = text.replace("\\.", ".").partition(".")
            if _LITERAL.fullmatch(database) and _LITERAL.fullmatch(table):
                named.append(f"{database}.{table}")
        return named


def check_table_count(options: CaptureOptions, captured: Callable[[], Sized]) -> None:
    """Log or refuse more captured tables than guardrail.collections.max allows."""
    count = len(captured()) if options.most_tables else 0
    if count <= options.most_tables:
        return
    message = (
        f"{count} tables are captured, guardrail.collections.max allows {options.most_tables}."
    )
    if options.fails_with_more_tables:
        raise StopError(message, "Capture less or raise guardrail.collections.max.")
    log.warning(message)


def warn_of_unrecorded(captured: Mapping[TableId, bool]) -> None:
    """Log captured tables whose definitions are not in the history: its end may be lost."""
    unknown = [str(table) for table, is_known in captured.items() if not is_known]
    if unknown:
        log.warning(
            "%d captured tables are not in the schema history: %s%s. Either they were created "
            "after the stored position, or the history is incomplete and the task will fail "
            "at their first row. snapshot.mode=recovery completes the history.",
            len(unknown),
            ", ".join(unknown[:_NAMED]),
            ", …" if len(unknown) > _NAMED else "",
        )


def _grants(connection: Connection) -> list[str] | None:
    """Return what the user was granted, with the roles that are active; None if that is hidden."""
    try:
        rows = connection.rows("SHOW GRANTS")
        if not connection.is_mariadb and any(" ON " not in str(text) for (text,) in rows):
            roles = connection.row("SELECT CURRENT_ROLE()")
            if roles and str(roles[0]) != "NONE":
                rows = connection.rows(f"SHOW GRANTS FOR CURRENT_USER() USING {roles[0]}")
    except StopError:
        return None
    return [str(text) for (text,) in rows]


def _select_scopes(grants: list[str] | None) -> set[str] | None:
    """Return where SELECT is granted: ``*.*``, ``database.*`` or ``database.table``."""
    if grants is None:
        return None
    scopes = set()
    for text in grants:
        match = _GRANT.match(text)
        if match and any(
            item.partition("(")[0].strip().upper() in _READABLE
            for item in match["privileges"].split(",")
        ):
            scopes.add(match["scope"].replace("`", ""))
    return scopes


def _covers(name: str, scopes: Iterable[str]) -> bool:
    """Return whether a privilege exists on a table, or on any table of a database."""
    database, _, table = name.lower().partition(".")
    for scope in scopes:
        granted, _, granted_table = scope.lower().partition(".")
        if _like(granted).fullmatch(database) and (not table or granted_table in ("*", table)):
            return True
    return False


def _like(text: str) -> re.Pattern[str]:
    """Read a database name as privileges have it: ``%`` and ``_`` are wildcards."""
    parts = re.split(r"(\\[%_\\]|%|_)", text)
    wildcards = {"%": ".*", "_": "."}
    return re.compile(
        "".join(wildcards.get(part, re.escape(part.removeprefix("\\"))) for part in parts)
    )


def _scope(target: str) -> str:
    if target == "*":
        return "*.*"
    database, _, table = target.partition(".")
    return f"{quote(database)}.{quote(table) if table else '*'}"


class UnmatchedRules:
    """The rules that match nothing, most often misspelled ones; the status shows them."""

    def __init__(self, rules: CaptureRules) -> None:
        self._rules = rules
        self._unmatched: list[Unmatched] | None = None
        self._compared_version = -1

    def compare(self, connection: Connection) -> None:
        """Compare the rules with the tables of the server; log them once."""
        first = self._unmatched is None
        self._unmatched = self._rules.find_unmatched(connection)
        if first:
            for rule in self._unmatched:
                log.warning("%s", rule)

    def notice(self) -> Notice:
        """Return what the status shows."""
        return Notice("; ".join(map(str, self._unmatched or ())))

    def report_matches(self, tables: Tables) -> Iterator[Notice]:
        """Yield a new notice when tables that were created meanwhile match a rule."""
        if not self._unmatched or self._compared_version == tables.version:
            return
        self._compared_version = tables.version
        unmatched = [rule for rule in self._unmatched if not rule.matches(tables)]
        if unmatched != self._unmatched:
            self._unmatched = unmatched
            yield self.notice()
