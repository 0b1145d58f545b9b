"""The tables of the campaign and the statements that change their definitions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

FIXED: Final = ("origin", "version", "k1", "k2", "body")


@dataclass(frozen=True, slots=True)
class Table:
    """One captured table. ``key`` names its primary key columns; none for a table without key."""

    name: str
    key: tuple[str, ...]

    @property
    def definition(self) -> str:
        """Return the CREATE TABLE statement."""
        key = f", PRIMARY KEY ({', '.join(self.key)})" if self.key else ""
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} "
            "(origin BIGINT NOT NULL, version INT NOT NULL, k1 VARCHAR(20) NOT NULL, "
            "k2 BIGINT NOT NULL, body LONGTEXT, "
            f"KEY by_origin (origin){key})"
        )


TABLES: Final = (
    Table("single", ("k2",)),
    Table("composite", ("k1", "k2")),
    Table("keyless", ()),
)
FINISH: Final = "CREATE TABLE finish (id INT PRIMARY KEY)"

# No NULL where there is a default: the JSON converter writes the default instead.
_TYPES: Final = (
    "INT",
    "INT UNSIGNED NOT NULL DEFAULT 7",
    "VARCHAR(30) NOT NULL DEFAULT 'a default'",
    "VARCHAR(40) CHARACTER SET latin1",
    "DECIMAL(10,3) NOT NULL DEFAULT 1.5",
    "DECIMAL(12,2)",
    "DATETIME(3) NOT NULL DEFAULT '2020-02-02 02:02:02.002'",
    "TIMESTAMP NULL",
    "BIGINT NOT NULL DEFAULT -1",
    "ENUM('one', 'two') NOT NULL DEFAULT 'two'",
    "VARBINARY(10) NOT NULL DEFAULT 'bytes'",
    "BIT(9)",
)
_LONGEST: Final = 6  # extra columns of a table


def change_definition(
    chance: random.Random, table: Table, columns: Sequence[str], others: Sequence[str]
) -> Iterator[str]:
    """Yield the statements of one random DDL change; the server may refuse any of them.

    ``columns`` are the columns of the table now, ``others`` names for tables that are not
    checked.
    """
    extras = [name for name in columns if name not in FIXED]
    choices: list[Callable[..., Iterator[str]]] = [_without_effect, _other_table, _temporary_table]
    if len(extras) < _LONGEST:
        choices += [_add] * 3
    if extras:
        choices += [_drop, _modify, _rename, _reorder]
    if len(extras) > 1:
        choices += [_swap, _rotate]
    choices += [_move_away_and_back, _change_key, _indexes, _drop_and_create]
    yield from chance.choice(choices)(chance, table.name, extras, others, table)


def _add(chance: random.Random, name: str, extras: list[str], *_: object) -> Iterator[str]:
    where = chance.choice(("", " FIRST", " AFTER k1", *(f" AFTER {extra}" for extra in extras)))
    yield f"ALTER TABLE {name} ADD COLUMN {_new(chance)} {chance.choice(_TYPES)}{where}"


def _drop(chance: random.Random, name: str, extras: list[str], *_: object) -> Iterator[str]:
    yield f"ALTER TABLE {name} DROP COLUMN {chance.choice(extras)}"


def _modify(chance: random.Random, name: str, extras: list[str], *_: object) -> Iterator[str]:
    where = chance.choice(("", " FIRST", " AFTER version"))
    yield f"ALTER TABLE {name} MODIFY {chance.choice(extras)} {chance.choice(_TYPES)}{where}"


def _rename(chance: random.Random, name: str, extras: list[str], *_: object) -> Iterator[str]:
    yield f"ALTER TABLE {name} RENAME COLUMN {chance.choice(extras)} TO {_new(chance)}"


def _reorder(chance: random.Random, name: str, extras: list[str], *_: object) -> Iterator[str]:
    chain = chance.sample(("k1", "body", "version"), 3)
    types = {"k1": "VARCHAR(20) NOT NULL", "body": "LONGTEXT", "version": "INT NOT NULL"}
    steps = ", ".join(
        f"MODIFY {column} {types[column]} AFTER {before}"
        for before, column in zip(["origin", *chain], chain, strict=False)
    )
    yield f"ALTER TABLE {name} {steps}"


def _swap(chance: random.Random, name: str, extras: list[str], *_: object) -> Iterator[str]:
    one, two = chance.sample(extras, 2)
    yield f"ALTER TABLE {name} RENAME COLUMN {one} TO {two}, RENAME COLUMN {two} TO {one}"


def _rotate(chance: random.Random, name: str, extras: list[str], *_: object) -> Iterator[str]:
    one, two = chance.sample(extras, 2)
    spare = _new(chance)
    yield f"ALTER TABLE {name} RENAME COLUMN {one} TO {spare}"
    yield f"ALTER TABLE {name} RENAME COLUMN {two} TO {one}"
    yield f"ALTER TABLE {name} RENAME COLUMN {spare} TO {two}"


def _move_away_and_back(
    _chance: random.Random, name: str, _extras: list[str], *_: object
) -> Iterator[str]:
    yield f"RENAME TABLE {name} TO {name}_away, {name}_away TO {name}"


def _drop_and_create(
    _chance: random.Random, name: str, _extras: list[str], _others: object, table: Table
) -> Iterator[str]:
    """DROP TABLE has no events for its rows, so the table is emptied first."""
    yield f"LOCK TABLES {name} WRITE"
    yield f"TRUNCATE TABLE {name}"
    yield f"DROP TABLE {name}"
    yield "UNLOCK TABLES"
    yield table.definition


def _change_key(
    chance: random.Random, name: str, _extras: list[str], _others: object, table: Table
) -> Iterator[str]:
    if table.key:
        key = chance.choice((table.key, (*table.key, "origin"), ("origin",)))
        yield f"ALTER TABLE {name} DROP PRIMARY KEY, ADD PRIMARY KEY ({', '.join(key)})"


def _indexes(chance: random.Random, name: str, _extras: list[str], *_: object) -> Iterator[str]:
    index = f"i{chance.randrange(3)}"
    yield chance.choice(
        (
            f"CREATE INDEX {index} ON {name} (version)",
            f"DROP INDEX {index} ON {name}",
            f"ALTER TABLE {name} RENAME INDEX {index} TO i{chance.randrange(3)}",
        )
    )


def _temporary_table(
    chance: random.Random, name: str, _extras: list[str], *_: object
) -> Iterator[str]:
    yield f"CREATE TEMPORARY TABLE {name} (hidden INT)"
    yield f"INSERT INTO {name} VALUES (1)"
    if chance.random() < 0.5:
        yield f"ALTER TABLE {name} ADD COLUMN more INT"
    yield f"DROP TEMPORARY TABLE {name}"


def _other_table(
    chance: random.Random, _name: str, _extras: list[str], others: Sequence[str], *_: object
) -> Iterator[str]:
    other = chance.choice(others)
    yield chance.choice(
        (
            f"CREATE TABLE {other} (id INT PRIMARY KEY AUTO_INCREMENT, v TEXT)",
            f"INSERT INTO {other} (v) VALUES ('one'), ('two')",
            f"UPDATE {other} SET v = CONCAT(v, '!') LIMIT 5",
            f"ALTER TABLE {other} ADD COLUMN {_new(chance)} INT",
            f"TRUNCATE TABLE {other}",
            f"DROP TABLE {other}",
            f"RENAME TABLE {other} TO {chance.choice(others)}",
            f"CREATE TABLE {other} LIKE single",
        )
    )


def _without_effect(
    chance: random.Random, name: str, _extras: list[str], *_: object
) -> Iterator[str]:
    yield chance.choice(
        (
            f"ANALYZE TABLE {name}",
            f"CREATE OR REPLACE VIEW shown AS SELECT origin, version FROM {name}",
            "DROP VIEW IF EXISTS shown",
            f"ALTER TABLE {name} COMMENT 'no. {chance.randrange(9)}'",
            "GRANT SELECT ON *.* TO 'capture'@'%'",
            "FLUSH TABLES",
            "DROP PROCEDURE IF EXISTS nothing",
            "CREATE PROCEDURE nothing() BEGIN DO 1; END",
            f"/* a comment */ ALTER TABLE {name} ENGINE = InnoDB",
        )
    )


def _new(chance: random.Random) -> str:
    return f"x{chance.randrange(1_000_000)}"
