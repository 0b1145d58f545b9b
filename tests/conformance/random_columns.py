"""Types of columns and literals of them, as SQL, for random tables.

Left out is what Debezium cannot do: `docs/compatibility.md` lists it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

_WORDS = ("", "a", "one two", "it''s", "ünïcödé", "日本", "x\\\\y", "{}", "NULL", "0")
_PLAIN_WORDS = ("", "a", "b c", "42", "it''s")


@dataclass(frozen=True)
class Kind:
    """A type as it is written, and what makes a literal for it."""

    sql: str
    value: Callable[[Random], str]
    takes_default: bool = True


def literal(kind: Kind, random: Random) -> str:
    """Return a value of a type."""
    return kind.value(random)


def types_of(flavor: str) -> tuple[Kind, ...]:
    """Return the types that a server has."""
    return (*TYPES, *_MYSQL) if flavor == "mysql" else (*TYPES, *_MARIADB)


def _integers(low: int, high: int) -> Callable[[Random], str]:
    return lambda random: str(random.choice([low, high, 0, 1, random.randint(low, high)]))


def _decimal(precision: int, scale: int) -> Callable[[Random], str]:
    def value(random: Random) -> str:
        number = random.choice([0, 1, 10**precision - 1, random.randrange(10**precision)])
        digits = str(number).rjust(scale + 1, "0")
        sign = random.choice(["", "-"])
        return f"{sign}{digits[:-scale]}.{digits[-scale:]}" if scale else f"{sign}{digits}"

    return value


def _text(words: tuple[str, ...], most: int) -> Callable[[Random], str]:
    return lambda random: "'" + random.choice([word for word in words if len(word) <= most]) + "'"


def _bytes(most: int) -> Callable[[Random], str]:
    return lambda random: f"x'{random.randbytes(random.randint(0, most)).hex()}'"


def _chosen(*values: str) -> Callable[[Random], str]:
    return lambda random: f"'{random.choice(values)}'"


def _day(random: Random) -> str:
    return f"{random.randint(1971, 2037)}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"


def _clock(random: Random, digits: int) -> str:
    fraction = f".{random.randrange(10**digits):0{digits}d}" if digits else ""
    return f"{random.randint(3, 23):02d}:{random.randint(0, 59):02d}:00{fraction}"


def _moment(digits: int) -> Callable[[Random], str]:
    return lambda random: f"'{_day(random)} {_clock(random, digits)}'"


def _time(digits: int) -> Callable[[Random], str]:
    return lambda random: f"'{random.choice(['', '-', '4'])}{_clock(random, digits)}'"


def _document(random: Random) -> str:
    return random.choice(
        ["'{}'", "'[]'", "'null'", "'1'", "'\"text\"'", '\'{"a": [1, 2.5, true], "bb": {}}\'']
    )


def _integer_kinds() -> list[Kind]:
    found = []
    for name, bits in (("TINYINT", 8), ("SMALLINT", 16), ("MEDIUMINT", 24), ("INT", 32)):
        half = 1 << (bits - 1)
        found += [
            Kind(name, _integers(-half, half - 1)),
            Kind(f"{name} UNSIGNED", _integers(0, 2 * half - 1)),
        ]
    return found


TYPES = (
    *_integer_kinds(),
    Kind("BIGINT", _integers(-(1 << 63), (1 << 63) - 1)),
    Kind("BIGINT UNSIGNED", _integers(0, (1 << 63) - 1)),
    Kind("TINYINT(1)", _integers(0, 1)),
    Kind("DOUBLE", lambda random: repr(random.choice([0.0, -1.5, 1e10, random.random()]))),
    Kind("FLOAT", lambda random: repr(random.choice([0.0, -1.5, 0.25, 1024.0]))),
    Kind("DECIMAL(10,2)", _decimal(10, 2)),
    Kind("DECIMAL(38,9)", _decimal(38, 9)),
    Kind("NUMERIC(5)", _decimal(5, 0)),
    Kind("BIT(1)", lambda random: random.choice(["b'0'", "b'1'"])),
    Kind("BIT(12)", lambda random: f"b'{random.randrange(4096):b}'"),
    Kind("CHAR(9)", _text(_WORDS, 9)),
    Kind("VARCHAR(40)", _text(_WORDS, 40)),
    Kind("VARCHAR(300)", _text(_WORDS, 300)),
    Kind("VARCHAR(20) CHARACTER SET latin1", _text(_PLAIN_WORDS, 20)),
    Kind("CHAR(6) CHARACTER SET ascii", _text(_PLAIN_WORDS, 6)),
    Kind("TINYTEXT", _text(_WORDS, 40), takes_default=False),
    Kind("TEXT", _text(_WORDS, 40), takes_default=False),
    Kind("LONGTEXT CHARACTER SET utf8mb3", _text(_PLAIN_WORDS, 40), takes_default=False),
    Kind("BINARY(5)", _bytes(5), takes_default=False),
    Kind("VARBINARY(30)", _bytes(30), takes_default=False),
    Kind("BLOB", _bytes(60), takes_default=False),
    Kind("DATE", lambda random: f"'{_day(random)}'"),
    Kind("TIME", _time(0)),
    Kind("TIME(3)", _time(3)),
    Kind("DATETIME", _moment(0)),
    Kind("DATETIME(6)", _moment(6)),
    Kind("TIMESTAMP", _moment(0)),
    Kind("TIMESTAMP(3)", _moment(3)),
    Kind("YEAR", lambda random: str(random.randint(1901, 2155))),
    Kind("ENUM('a','b c','it''s')", _chosen("a", "b c", "it''s")),
    Kind("SET('a','b','c')", _chosen("", "a", "b,c", "a,b,c")),
)
_MYSQL = (
    Kind("JSON", _document, takes_default=False),
    Kind("POINT", lambda random: f"POINT({random.randint(-9, 9)}, 2)", takes_default=False),
)
_MARIADB = (Kind("JSON", _document, takes_default=False),)
