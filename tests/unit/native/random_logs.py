"""Random logs as a server sends them: transactions of all kinds, and what comes between them."""

from __future__ import annotations

import random
import struct
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import RandomTable, table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS

TABLE: RandomTable = table_of([INTEGERS[4], INTEGERS[0]])
SERVER = uuid.UUID("11111111-2222-3333-4444-555555555555")
FILE = "b.000001"
DATABASES = {108: "shop", 109: "other", 110: "hidden"}
_PRESENT = (True, True)
_OPENINGS = ("gtid", "anonymous", "mariadb")
_V1 = {written.WRITE: 23, written.UPDATE: 24, written.DELETE: 25}
_BODY = 19
Body = tuple[int, bytes]


@dataclass
class RandomLog:
    """Writes the groups of one log; ``opening`` is the kind of the first event of each."""

    chance: random.Random
    opening: str
    checksums: bool
    position: int = 157
    number: int = 0
    server: int = 7
    clock: int = 1_700_000_000
    most: int = 60
    compresses: bool = True
    has_savepoint: bool = False
    is_plain: bool = False
    starts: list[int] = field(default_factory=list)

    def packets(self, groups: int) -> bytes:
        """Return the packets of some groups."""
        whole = b""
        for _ in range(groups):
            self.clock += self.chance.randrange(3)
            for kind, body in self._group():
                whole += self._packet(kind, body)
        return whole

    def _packet(self, kind: int, body: bytes) -> bytes:
        size = _BODY + len(body) + 4 * self.checksums
        self.starts.append(self.position)
        self.position += size
        if self._once_in(40):
            self.position += 57  # an event that the server does not send
        clock = 0 if self._once_in(100) else self.clock + self._once_in(9)
        behind = 0 if kind == 27 else self.position & 0xFFFFFFFF
        event = struct.pack("<IBIIIH", clock, kind, self.server, size, behind, 0) + body
        if self.checksums:
            event += zlib.crc32(event).to_bytes(4, "little")
        return (len(event) + 1).to_bytes(3, "little") + b"\1\0" + event

    def _once_in(self, number: int) -> bool:
        return self.chance.random() < 1 / number

    def _group(self) -> Iterator[Body]:
        self.number += 1
        kind = self.chance.random()
        if kind < 0.75:
            yield self._opening(flags=2 * self._once_in(3))
            yield from self._transaction()
        elif kind < 0.8:
            yield self._opening(flags=1)
            yield _query("CREATE TABLE a (b INT)", self.number)
        elif kind < 0.84:
            yield self._opening(flags=64)
            yield _query("XA START X'1',X'',1", self.number)
            yield from self._statement()
            yield 38, b"\0" * 12
        elif kind < 0.88 and self.compresses:
            yield self._opening()
            inside = b"".join(_event(*body) for body in self._transaction())
            yield 40, written.compressed_transaction(inside)[_BODY:]
        elif kind < 0.92:
            yield 27, b"b.000001"
        elif kind < 0.96:
            yield self._opening()
            yield _query("BEGIN", self.number)  # the server crashed
        else:
            file = FILE.replace("1", str(self.chance.randrange(1, 4)))
            yield 4, (4).to_bytes(8, "little") + file.encode()
            self.position = 4

    def _opening(self, flags: int = 0) -> Body:
        number = self.number.to_bytes(8, "little")
        if self.opening == "anonymous":
            return 34, b"\1" + bytes(24)
        if self.opening == "gtid":
            body = b"\1" + SERVER.bytes + number
            micros = (1 << 55 if self._once_in(60) else 1_700_000_000_000_000) - self.number
            clocks = b"\2" + bytes(16)
            if self._once_in(3):
                replicated = (micros | 1 << 55).to_bytes(7, "little")
                return 33, body + clocks + replicated + micros.to_bytes(7, "little") + bytes(9)
            return 33, body + (clocks + micros.to_bytes(7, "little")) * (not self._once_in(3))
        extra = bytes(8) if flags & 2 else bytes(6)
        if flags & 64:
            extra = b"\1\0\0\0\1\1ab"
        return 162, number + (0).to_bytes(4, "little") + bytes([flags]) + extra

    def _transaction(self) -> Iterator[Body]:
        if self.opening != "mariadb":
            yield _query("BEGIN", self.chance.randrange(1, 1 << 32))
        self.has_savepoint = False
        count = self.chance.choice((0, 1, 1, 1, 1, 2, 3, self.most))
        self.is_plain = count == self.most and self._once_in(2)  # often above 512 rows
        self.most = 4 if count == self.most else self.most  # a log has less than 500 events
        for _ in range(count):
            yield from self._statement()
        end = self.chance.random()
        if end < 0.8:
            yield 16, self.number.to_bytes(8, "little")
        else:
            yield _query("COMMIT" if end < 0.9 else "ROLLBACK", 3)

    def _statement(self) -> Iterator[Body]:
        if not self.is_plain and self._once_in(20):
            yield (160, b"INSERT") if self.opening == "mariadb" else (29, b"\7INSERT")
        if not self.is_plain and self._once_in(20):
            rolls_back, self.has_savepoint = self.has_savepoint, True
            yield _query("ROLLBACK TO `A`" if rolls_back else "SAVEPOINT `a`", 3)
        number, database = self.chance.choice(list(DATABASES.items()))
        if self.is_plain or not self._once_in(30):
            yield 19, written.table_map(TABLE.kinds, number=number, database=database)[_BODY:]
        for _ in range(self.chance.choice((1, 1, 1, 2))):
            yield self._rows(number)

    def _rows(self, number: int) -> Body:
        kind = self.chance.choice(list(_V1))
        update = kind == written.UPDATE
        count = self.chance.choice((1, 1, 5, 30) if self.is_plain else (1, 1, 1, 2, 5)) << update
        images = b"".join(TABLE.image((self._value(), 1), _PRESENT) for _ in range(count))
        kind = _V1[kind] if self._once_in(3) else kind
        extra = b"ab" if kind >= 30 and self._once_in(5) else b""
        present = [_PRESENT] * (1 + update)
        return kind, written.rows_body(kind, images, present, number=number, extra=extra)

    def _value(self) -> int:
        return self.chance.randrange(100)


def random_log(chance: random.Random) -> RandomLog:
    position = chance.choice((157, 157, (1 << 32) - 1500))
    return RandomLog(chance, chance.choice(_OPENINGS), chance.random() < 0.5, position)


def _query(sql: str, thread: int) -> Body:
    return 2, written.query_body(sql.encode(), "shop", thread & 0xFFFFFFFF)


def _event(kind: int, body: bytes) -> bytes:
    return written.event(kind, body)


def split(chance: random.Random, data: bytes) -> list[bytes]:
    """Cut data as a network does."""
    chunks = []
    while data:
        size = chance.choice((1, 30, 400, 3000, 65_536))
        chunks.append(data[:size])
        data = data[size:]
    return chunks
