"""Events as a server writes them: a header, a body, and perhaps a checksum."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import zstandard

from tests.fixtures.fields_as_bytes import bitmap, length_encoded
from tests.unit.mysql.binlog.kind import Kind

SERVER_ID = 7
TIMESTAMP = 1_700_000_000
WRITE, UPDATE, DELETE, PARTIAL = 30, 31, 32, 39
WRITE_V1, UPDATE_V1, DELETE_V1 = 23, 24, 25
CRC32, NO_CHECKSUM = 1, 0
_NUMERIC = (1, 2, 3, 4, 5, 8, 9, 13, 246)


def event(kind: int, body: bytes, *, at: int = 4, checksum: bool = False) -> bytes:
    """Return an event that starts at a position of its file."""
    size = 19 + len(body) + 4 * checksum
    head = struct.pack("<IBIIIH", TIMESTAMP, kind, SERVER_ID, size, at + size, 0)
    return head + body + (zlib.crc32(head + body).to_bytes(4, "little") if checksum else b"")


def format_description(algorithm: int) -> bytes:
    """It ends in the algorithm of the checksums and, with any algorithm, in one of its own."""
    body = b"\x04\0" + b"8.4.0".ljust(50, b"\0") + bytes(5) + bytes(41) + bytes([algorithm])
    return event(15, body, checksum=True)


def rotate(file: str, position: int) -> bytes:
    return event(4, position.to_bytes(8, "little") + file.encode())


def query(sql: str, database: str = "", thread: int = 11, status: bytes = b"\0\0\0\0\0") -> bytes:
    return event(2, query_body(sql.encode(), database, thread, status))


def query_body(sql: bytes, database: str = "", thread: int = 11, status: bytes = b"") -> bytes:
    name = database.encode()
    head = struct.pack("<IIBHH", thread, 0, len(name), 0, len(status))
    return head + status + name + b"\0" + sql


def xid() -> bytes:
    return event(16, bytes(8))


def table_map(
    kinds: Sequence[Kind], *, number: int = 108, names: Sequence[str] = (), database: str = "shop"
) -> bytes:
    """A TABLE_MAP event; with names it has the metadata of ``binlog_row_metadata=FULL``."""
    metadata = b"".join(kind.meta for kind in kinds)
    body = (
        number.to_bytes(6, "little")
        + b"\1\0"
        + _name(database)
        + _name("orders")
        + length_encoded(len(kinds))
        + bytes(kind.type for kind in kinds)
        + length_encoded(len(metadata))
        + metadata
        + bitmap([True] * len(kinds))
    )
    return event(19, body + (_optional(kinds, names) if names else b""))


def _name(text: str) -> bytes:
    return bytes([len(text.encode())]) + text.encode() + b"\0"


def _optional(kinds: Sequence[Kind], names: Sequence[str]) -> bytes:
    numeric = [kind.unsigned for kind in kinds if kind.type in _NUMERIC]
    signedness = bytes(  # the first column stands in the highest bit
        sum(flag << 7 - place for place, flag in enumerate(numeric[start : start + 8]))
        for start in range(0, len(numeric), 8)
    )
    texts = b"".join(length_encoded(len(name.encode())) + name.encode() for name in names)
    blocks = [(1, signedness), (2, length_encoded(255)), (4, texts)]
    return b"".join(bytes([kind]) + length_encoded(len(block)) + block for kind, block in blocks)


def rows(
    kind: int,
    images: bytes,
    present: Sequence[Sequence[bool]],
    *,
    number: int = 108,
    extra: bytes = b"",
) -> bytes:
    """A rows event; updates have two bitmaps of the columns in their images."""
    return event(kind, rows_body(kind, images, present, number=number, extra=extra))


def rows_body(
    kind: int,
    images: bytes,
    present: Sequence[Sequence[bool]],
    *,
    number: int = 108,
    extra: bytes = b"",
) -> bytes:
    has_extra = kind in (WRITE, UPDATE, DELETE, PARTIAL)
    return (
        number.to_bytes(6, "little")
        + b"\1\0"
        + ((len(extra) + 2).to_bytes(2, "little") + extra if has_extra else b"")
        + length_encoded(len(present[0]))
        + b"".join(bitmap(list(columns)) for columns in present)
        + images
    )


def compressed_transaction(
    events: bytes, *, size: int | None = None, compressed: bool = True
) -> bytes:
    """A transaction in one event; ``size`` replaces its true length."""
    payload = zstandard.ZstdCompressor().compress(events) if compressed else events
    fields = [(2, 0 if compressed else 255), (3, len(events) if size is None else size)]
    return event(40, payload_head(fields, len(payload)) + payload)


def payload_head(fields: Sequence[tuple[int, int]], size: int) -> bytes:
    members = [(kind, length_encoded(value)) for kind, value in (*fields, (1, size))]
    return b"".join(bytes([kind, len(value)]) + value for kind, value in members) + b"\0"


def mariadb_compressed(data: bytes) -> bytes:
    """What MariaDB's ``log_bin_compress`` puts in the place of images or of a statement."""
    size = len(data).to_bytes(4, "big").lstrip(b"\0") or b"\0"
    return bytes([0x80 | len(size)]) + size + zlib.compress(data)
