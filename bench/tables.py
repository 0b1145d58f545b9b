"""The tables of the benchmark, and the rows in them.

sb     4 columns as of sysbench: int, int, char(120), char(60)
wide   20 columns of most types: integers, double, decimal, temporal types, texts with quotes and
       umlauts, enum, JSON, blob, NULLs
types  a column of every type that MySQL and MariaDB have in common
many   300 columns, integers and texts in turn

Rows are computed from their number, so they are the same in every run.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

_PRIMES: Final = (
    *(7919, 104729, 1299709, 15485863, 179424673),
    *(32452843, 49979687, 67867967, 86028121, 982451653),
)
_NESTED: Final = {"x": 1.5, "y": None, "ok": True}
_SIZES: Final = ("small", "medium", "large", "x-large")


def digits(number: int, groups: int) -> str:
    """Return groups of 11 digits joined by dashes, as sysbench fills its columns."""
    parts = ((number + 1) * prime % 99_999_999_977 for prime in _PRIMES[:groups])
    return "-".join(f"{part:011}" for part in parts)


def sb_row(i: int) -> tuple[Any, ...]:
    """Return a row of table sb."""
    return (i, i * 31 % 250_000, digits(i, 10), digits(i, 5))


def wide_row(i: int) -> tuple[Any, ...]:
    """Return a row of table wide."""
    return (
        i,
        i % 127,
        i % 65_000,
        i % 8_000_000,
        i * 17 % 2**32,
        i * 1_000_003,
        i / 7,
        f"{i % 1_000_000 * 1.37:.2f}",
        f"2026-01-{1 + i % 28:02} 10:{i % 60:02}:{i * 7 % 60:02}.{i * 37 % 1_000_000:06}",
        f"2026-02-{1 + i % 28:02} 11:{i % 60:02}:01.{i % 1000:03}",
        f"202{i % 6}-0{1 + i % 9}-1{i % 9}",
        f"{i % 800:02}:{i % 60:02}:{i % 59:02}",
        f'Käse "{i}" Ünï €',
        f"plain text of some length, number {i}, then a bit of: " + "lorem ipsum " * (i % 8),
        _SIZES[i % len(_SIZES)],
        json.dumps({"id": i, "name": f"item-{i}", "tags": ["a", "b", "c"], "nested": _NESTED}),
        b"%08x" % (i * 7919 % 2**31) * 4,
        None if i % 2 == 0 else i,
        None,
        b"%016d" % i,
    )


def types_row(i: int) -> tuple[Any, ...]:
    """Return a row of table types."""
    sign = -1 if i % 2 else 1
    clock = f"{i % 24:02}:{i % 60:02}:{i * 7 % 60:02}"
    date = f"20{i % 30:02}-{1 + i % 12:02}-{1 + i % 28:02}"
    micros = f"{i * 37 % 1_000_000:06}"
    point = struct.pack("<IBIdd", 0, 1, 1, i / 8, -i / 16)  # SRID, byte order, type, x, y
    text, data = f"Text {i} Ünï €", b"%012d" % i
    integers = (sign * (i % 128), i % 256, i % 2, sign * i % 32_768, i % 65_536)
    larger = (sign * (i % 2**23), i % 2**24, sign * i, i * 17 % 2**32, sign * i * 10**9, i * 10**10)
    broken = (sign * i / 8, sign * i / 7, f"{sign * i}.{i % 10**10:010}")
    bits = (bytes([i % 2]), struct.pack(">Q", i * 10**9))
    moments = (f"{date} {clock}", f"{date} {clock}.{micros[:3]}", f"{date} {clock}.{micros}")
    temporals = (
        date,
        clock,
        f"-{clock}.{micros}",
        *moments,
        moments[0],
        moments[2],
        1901 + i % 255,
    )
    texts = (text[:10], text, *[text] * 4)
    binaries = (data[:8], data, *[data] * 4)
    others = (
        _SIZES[i % 4],
        ",".join(_SIZES[: i % 5]),
        json.dumps({"i": i, "f": i / 4}),
        point,
        point,
    )
    return (i, *integers, *larger, *broken, *bits, *temporals, *texts, *binaries, *others)


def many_row(i: int) -> tuple[Any, ...]:
    """Return a row of table many."""
    return (i, *(f"text {i} {n}" if n % 2 else i * n % 2**31 for n in range(1, 300)))


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the workload.

    ``row`` computes a row from its number, ``update`` is what an update sets. How many ``rows``
    there are for a snapshot, and how many ``inserts`` and ``updates`` are streamed, is given in
    parts of the size of the benchmark.
    """

    columns: str
    row: Callable[[int], tuple[Any, ...]]
    update: str
    rows: float
    inserts: float
    updates: float


TABLES: Final = {
    "sb": Table(
        "id INT NOT NULL PRIMARY KEY, k INT NOT NULL DEFAULT 0, "
        "c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', KEY k_1 (k)",
        sb_row,
        "k = k + 1, c = pad",
        rows=1,
        inserts=1 / 2,
        updates=1 / 20,
    ),
    "wide": Table(
        "id BIGINT NOT NULL PRIMARY KEY, i1 TINYINT NOT NULL, i2 SMALLINT UNSIGNED NOT NULL, "
        "i3 MEDIUMINT, i4 INT UNSIGNED, i5 BIGINT, f DOUBLE, dec1 DECIMAL(12,2), "
        "dt6 DATETIME(6), ts TIMESTAMP(3) NULL, d DATE, t TIME, v1 VARCHAR(64), v2 VARCHAR(400), "
        "en ENUM('small','medium','large','x-large'), js JSON, bl BLOB, n1 INT, n2 VARCHAR(20), "
        "vb VARBINARY(16)",
        wide_row,
        "i5 = i5 + 1, v1 = 'x'",
        rows=1 / 4,
        inserts=1 / 5,
        updates=1 / 40,
    ),
    "types": Table(
        "id BIGINT NOT NULL PRIMARY KEY, ti TINYINT, tiu TINYINT UNSIGNED, bo BOOL, si SMALLINT, "
        "siu SMALLINT UNSIGNED, mi MEDIUMINT, miu MEDIUMINT UNSIGNED, i INT, iu INT UNSIGNED, "
        "bi BIGINT, biu BIGINT UNSIGNED, f FLOAT, d DOUBLE, de DECIMAL(30,10), b1 BIT, "
        "b64 BIT(64), da DATE, t TIME, t6 TIME(6), dt DATETIME, dt3 DATETIME(3), dt6 DATETIME(6), "
        "ts TIMESTAMP NULL, ts6 TIMESTAMP(6) NULL, y YEAR, c CHAR(10), vc VARCHAR(50), "
        "tt TINYTEXT, tx TEXT, mt MEDIUMTEXT, lt LONGTEXT, bn BINARY(8), vb VARBINARY(20), "
        "tb TINYBLOB, bl BLOB, mb MEDIUMBLOB, lb LONGBLOB, en ENUM('small','medium','large',"
        "'x-large'), se SET('small','medium','large','x-large'), js JSON, ge GEOMETRY, po POINT",
        types_row,
        "i = i + 1, vc = 'x'",
        rows=1 / 4,
        inserts=1 / 5,
        updates=1 / 40,
    ),
    "many": Table(
        "id BIGINT NOT NULL PRIMARY KEY, "
        + ", ".join(f"c{n} {'VARCHAR(30)' if n % 2 else 'INT'}" for n in range(1, 300)),
        many_row,
        "c2 = c2 + 1, c3 = 'x'",
        rows=1 / 20,
        inserts=1 / 40,
        updates=1 / 200,
    ),
}
