"""Compressed transactions: what TRANSACTION_PAYLOAD events hold.

The layout is that of MySQL's libs/mysql/binlog/event/codecs.
"""

from __future__ import annotations

from collections.abc import Iterator

import zstandard

from connector.errors import ConversionError
from connector.mysql.binlog.tablemap import length_encoded

PayloadError = zstandard.ZstdError
_HEADER_SIZE = 19


def payload_fields(data: bytes, offset: int) -> tuple[dict[int, int], int]:
    """Read the integers before a compressed transaction's body; return them and its start."""
    found: dict[int, int] = {}
    while data[offset]:
        kind, offset = length_encoded(data, offset)
        length, offset = length_encoded(data, offset)
        found[kind] = length_encoded(data, offset)[0]
        offset += length
    return found, offset + 1


def inner_events(body: bytes, compression: int) -> Iterator[bytes]:
    """Cut the uncompressed stream of a transaction into events."""
    if compression == 255:
        pieces: Iterator[bytes] = iter([body])
    elif compression == 0:
        pieces = zstandard.ZstdDecompressor().read_to_iter(body)
    else:
        raise ConversionError(f"unknown compression {compression} of a binlog transaction")
    rest = b""
    for piece in pieces:
        rest += piece
        start = 0
        while len(rest) - start >= _HEADER_SIZE:
            size = int.from_bytes(rest[start + 9 : start + 13], "little")
            if size < _HEADER_SIZE:
                raise ValueError("an event is shorter than its header")
            if len(rest) - start < size:
                break
            yield rest[start : start + size]
            start += size
        rest = rest[start:]
    if rest:
        raise ValueError("the last event is cut short")
