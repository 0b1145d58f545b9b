"""Random tables, rows and alterations for both sides.

Statements are tried on the server as they are made, in the database that they are for: only those
that it takes are kept, so the model below never has to know what a server refuses. The database is
dropped then, and the run creates it again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from random import Random

from tests.conformance.random_columns import Kind, literal, types_of
from tests.conformance.scenario import Scenario
from tools.stack import DatabaseServer

_NAMES = ("a", "b", "c", "Mixed", "with space", "ünï", "select", "key_", "x-y", "o'n", "dollar$")
_TABLES = ("t", "T2", "odd name", "order")
_LENGTHS = {"before": 12, "streaming": 40, "offline": 8}


@dataclass
class Table:
    """What is known of a table: its columns but the key, which is always ``id``."""

    columns: dict[str, Kind] = field(default_factory=dict)


class Workload:
    """Makes statements for one database from one seed."""

    def __init__(self, seed: int, database: str, flavor: str) -> None:
        self._random = Random(seed)
        self._database = database
        self._types = types_of(flavor)
        self._tables: dict[str, Table] = {}
        self._added: set[str] = set()  # by the ALTER that is being made
        self._next_id = 1

    def scenario(self, server: DatabaseServer) -> Scenario:
        """Return the statements that the server took, by phase."""
        create = f"CREATE DATABASE {self._database} CHARACTER SET utf8mb4"
        use = f"USE {self._database}"
        phases: dict[str, tuple[str, ...]] = {}
        with server.connect(autocommit=True) as session, session.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {self._database}")
            cursor.execute(create)
            cursor.execute(use)
            for phase, length in _LENGTHS.items():
                kept = [create, use] if phase == "before" else [use]
                for sql, took in self._statements(phase, length):
                    try:
                        cursor.execute(sql)
                    except session.Error:
                        continue
                    took()
                    kept.append(sql)
                phases[phase] = tuple(kept)
            cursor.execute(f"DROP DATABASE {self._database}")
        name = f"generated {self._database}"
        return Scenario(name, (), frozenset(), phases, (self._database,))

    def _statements(self, phase: str, length: int) -> Iterator[tuple[str, Callable[[], None]]]:
        if phase == "before":
            for _ in range(2):
                yield self._create()
        altering = {"before": 0.1, "streaming": 0.35, "offline": 0.3}[phase]
        for _ in range(length):
            if not self._tables:
                yield self._create()
            elif self._random.random() < altering:
                yield self._random.choice(self._definitions)(self)
            else:
                yield self._random.choices(self._changes, (6, 3, 2, 1))[0](self), _nothing

    def _any_table(self) -> str:
        return self._random.choice(list(self._tables))

    def _free(self, names: tuple[str, ...], taken: Container[str]) -> str:
        return self._random.choice([name for name in names if name not in taken] or ["spare"])

    def _column(self, kind: Kind) -> str:
        """Write a definition behind the name."""
        random = self._random
        null = random.choice(["", " NULL", " NOT NULL"])
        default = ""
        if kind.takes_default and random.random() < 0.5:
            value = literal(kind, random)
            default = f" DEFAULT {value}"
        elif "NOT" not in null and random.random() < 0.2:
            default = " DEFAULT NULL"
        comment = " COMMENT 'it''s \"one\"'" if random.random() < 0.1 else ""
        return f"{kind.sql}{null}{default}{comment}"

    def _kind(self) -> Kind:
        return self._random.choice(self._types)

    def _create(self) -> tuple[str, Callable[[], None]]:
        random = self._random
        name = self._free(_TABLES, self._tables)
        count = random.randint(1, 6)
        columns = {column: self._kind() for column in random.sample(_NAMES, count)}
        parts = [f"`{column}` {self._column(kind)}" for column, kind in columns.items()]
        key = random.choice(
            [("id INT PRIMARY KEY", ""), ("id BIGINT NOT NULL", ", PRIMARY KEY (id)")]
        )
        parts.insert(random.randint(0, len(parts)), key[0])
        sql = f"CREATE TABLE `{name}` ({', '.join(parts)}{key[1]})"
        return sql, lambda: self._tables.__setitem__(name, Table(columns))

    def _alter(self) -> tuple[str, Callable[[], None]]:
        name = self._any_table()
        columns = dict(self._tables[name].columns)
        self._added.clear()
        number = self._random.choice([1, 1, 2, 3])
        clauses = [self._random.choice(self._clauses)(self, columns) for _ in range(number)]
        sql = f"ALTER TABLE `{name}` {', '.join(clauses)}"
        return sql, lambda: self._tables.__setitem__(name, Table(columns))

    def _add(self, columns: dict[str, Kind]) -> str:
        column = self._free(_NAMES, columns)
        place = self._random.choice(["", "", " FIRST", " AFTER id"])
        columns[column] = kind = self._kind()
        self._added.add(column)
        return f"ADD COLUMN `{column}` {self._column(kind)}{place}"

    def _modify(self, columns: dict[str, Kind]) -> str:
        # One that the same ALTER adds stands elsewhere for Debezium than in MariaDB.
        old = [column for column in columns if column not in self._added]
        if not old:
            return self._add(columns)
        column = self._random.choice(old)
        columns[column] = kind = self._kind()
        return f"MODIFY COLUMN `{column}` {self._column(kind)}"

    def _change(self, columns: dict[str, Kind]) -> str:
        if not columns:
            return self._add(columns)
        column = self._random.choice(list(columns))
        name = self._free(_NAMES, columns)
        kind = columns.pop(column)
        columns[name] = kind
        return f"CHANGE `{column}` `{name}` {self._column(kind)}"

    def _rename_column(self, columns: dict[str, Kind]) -> str:
        if not columns:
            return self._add(columns)
        column = self._random.choice(list(columns))
        name = self._free(_NAMES, columns)
        columns[name] = columns.pop(column)
        return f"RENAME COLUMN `{column}` TO `{name}`"

    def _drop(self, columns: dict[str, Kind]) -> str:
        if len(columns) < 2:
            return self._add(columns)
        column = self._random.choice(list(columns))
        del columns[column]
        return f"DROP COLUMN `{column}`"

    def _default(self, columns: dict[str, Kind]) -> str:
        plain = [column for column, kind in columns.items() if kind.takes_default]
        if not plain:
            return self._add(columns)
        column = self._random.choice(plain)
        if self._random.random() < 0.3:
            return f"ALTER COLUMN `{column}` DROP DEFAULT"
        return f"ALTER COLUMN `{column}` SET DEFAULT {literal(columns[column], self._random)}"

    def _index(self, columns: dict[str, Kind]) -> str:
        short = [name for name, kind in columns.items() if not _has_hash(kind)]
        column = self._random.choice([*short, "id"])
        return self._random.choice([f"ADD INDEX (`{column}`)", f"ADD UNIQUE (`{column}`, id)"])

    def _table_option(self, columns: dict[str, Kind]) -> str:  # noqa: ARG002 - a clause
        return self._random.choice(
            ["COMMENT = 'a, (b'", "ENGINE = InnoDB", "CONVERT TO CHARACTER SET utf8mb4"]
        )

    def _rename(self) -> tuple[str, Callable[[], None]]:
        name = self._any_table()
        new = self._free(_TABLES, self._tables)
        sql = f"RENAME TABLE `{name}` TO `{new}`"  # after ALTER Debezium keeps the old name, too
        return sql, lambda: self._tables.__setitem__(new, self._tables.pop(name))

    def _drop_table(self) -> tuple[str, Callable[[], None]]:
        name = self._any_table()
        return f"DROP TABLE `{name}`", lambda: _forget(self._tables, name)

    def _alike(self) -> tuple[str, Callable[[], None]]:
        name = self._any_table()
        new = self._free(_TABLES, self._tables)
        made = Table(dict(self._tables[name].columns))
        sql = f"CREATE TABLE `{new}` LIKE `{name}`"
        return sql, lambda: self._tables.__setitem__(new, made)

    def _insert(self) -> str:
        name = self._any_table()
        random = self._random
        columns = self._tables[name].columns
        chosen = [column for column in columns if random.random() < 0.9]
        names = ", ".join(f"`{column}`" for column in ["id", *chosen])
        rows = []
        for _ in range(random.randint(1, 4)):
            values = [str(self._next_id)]
            self._next_id += 1
            for column in chosen:
                null = random.random() < 0.1
                values.append("NULL" if null else literal(columns[column], random))
            rows.append(f"({', '.join(values)})")
        verb = random.choice(["INSERT INTO", "INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO"])
        return f"{verb} `{name}` ({names}) VALUES {', '.join(rows)}"

    def _update(self) -> str:
        name = self._any_table()
        columns = self._tables[name].columns
        if not columns or self._random.random() < 0.1:
            return f"UPDATE `{name}` SET id = id + 100000 WHERE id % 5 = 1"
        chosen = self._random.sample(list(columns), self._random.randint(1, len(columns)))
        changes = [f"`{column}` = {literal(columns[column], self._random)}" for column in chosen]
        return f"UPDATE `{name}` SET {', '.join(changes)} WHERE {self._where()}"

    def _delete(self) -> str:
        return f"DELETE FROM `{self._any_table()}` WHERE {self._where()}"

    def _transaction(self) -> str:
        return self._random.choice(["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s"])

    def _where(self) -> str:
        return self._random.choice(["id % 3 = 0", "id % 2 = 1", "id % 7 < 3", "id > 5"])

    _clauses = (
        *(_add, _add, _modify, _change, _rename_column, _drop, _default, _index),
        _table_option,
    )
    _definitions = (_alter, _alter, _alter, _alter, _create, _rename, _drop_table, _alike)
    _changes = (_insert, _update, _delete, _transaction)


def _has_hash(kind: Kind) -> bool:
    """Whether a UNIQUE key of it has a hash in MariaDB, which Debezium stops at."""
    return any(word in kind.sql for word in ("TEXT", "BLOB", "JSON", "POINT"))


def _nothing() -> None:
    """Take note of nothing: rows are not in the model."""


def _forget(tables: dict[str, Table], name: str) -> None:
    del tables[name]
