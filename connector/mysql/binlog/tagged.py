"""Tagged GTID events (MySQL 8.4), written in MySQL's own serialization format.

A message is its version, its size and the number of the last field that must be understood,
followed by fields, each behind its number (libs/mysql/serialization). Integers have a variable
length: as many bytes follow the first as it has low bits set.
"""

from __future__ import annotations

import uuid

_FLAGS, _UUID, _NUMBER, _TAG, _LAST, _SEQUENCE, _COMMITTED, _ORIGINAL = range(8)


def parse_tagged_gtid(data: bytes) -> tuple[str, int]:
    """Return ``uuid:tag:number`` and the original commit time in microseconds."""
    offset = 0
    for _ in range(3):  # version, size, last field that must be known
        _, offset = unsigned(data, offset)
    found: dict[int, int] = {}
    server, tag = "", ""
    while offset < len(data):
        field, offset = unsigned(data, offset)
        if field == _UUID:
            raw = bytearray()
            for _ in range(16):
                byte, offset = unsigned(data, offset)
                raw.append(byte)
            server = str(uuid.UUID(bytes=bytes(raw)))
        elif field == _TAG:
            size, offset = unsigned(data, offset)
            tag = data[offset : offset + size].decode("ascii")
            offset += size
        elif field in (_NUMBER, _LAST, _SEQUENCE):
            found[field], offset = signed(data, offset)
        else:
            found[field], offset = unsigned(data, offset)
    micros = found.get(_ORIGINAL, found.get(_COMMITTED, 0))
    name = f"{server}:{tag}" if tag else server
    return f"{name}:{found[_NUMBER]}", micros


def unsigned(data: bytes, offset: int) -> tuple[int, int]:
    """Read an unsigned integer; return it with the offset behind it."""
    first = data[offset]
    more = (~first & first + 1).bit_length() - 1 if first != 0xFF else 8
    end = offset + 1 + more
    if more == 8:
        return int.from_bytes(data[offset + 1 : end], "little"), end
    return int.from_bytes(data[offset:end], "little") >> more + 1, end


def signed(data: bytes, offset: int) -> tuple[int, int]:
    """Read a signed integer: its sign is the lowest bit, the rest is inverted if negative."""
    value, offset = unsigned(data, offset)
    return (~(value >> 1) if value & 1 else value >> 1), offset
