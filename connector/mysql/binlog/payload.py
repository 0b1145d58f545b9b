"""Compressed transactions: what TRANSACTION_PAYLOAD events hold.

The layout is that of MySQL's libs/mysql/binlog/event/codecs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO, Final

import zstandard

from connector.errors import ConversionError
from connector.mysql.session.wire import length_encoded

PayloadError = zstandard.ZstdError
_HEADER_SIZE: Final = 19
_BUFFER: Final = 1 << 17
_SIZE: Final = slice(9, 13)  # of an event, in its header
_LARGEST: Final = 1 << 30  # servers write no larger event than max_allowed_packet


def payload_fields(data: bytes, offset: int) -> tuple[dict[int, int], int]:
    """Read the integers before a compressed transaction's body; return them and its start."""
    found: dict[int, int] = {}
    while data[offset]:
        kind, offset = length_encoded(data, offset)
        length, offset = length_encoded(data, offset)
        found[kind] = length_encoded(data, offset)[0]
        offset += length
    return found, offset + 1


def inner_events(body: bytes, compression: int, size: int | None = None) -> Iterator[bytes]:
    """Cut the uncompressed stream of a transaction into events.

    None of them is held once it is yielded: it may be large.

    :param size: of all events, if it is known: for one that claims to be larger no memory is taken.
    """
    if compression == 255:
        yield from _uncompressed_events(body)
        return
    if compression != 0:
        raise ConversionError(
            f"unknown compression {compression} of a binlog transaction",
            "Set binlog_transaction_compression=OFF on the server, and take a new snapshot; "
            "event.processing.failure.handling.mode=warn skips the transaction and loses its rows.",
        )
    with io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(body), _BUFFER) as stream:
        most = _LARGEST if size is None else min(size, _LARGEST)
        while head := stream.read(_HEADER_SIZE):
            yield _event(head, stream, most)


def _event(head: bytes, stream: BinaryIO, most: int) -> bytes:
    size = _size_of(head)
    if size > most:
        raise ValueError("an event is larger than all of them")
    rest = stream.read(size - _HEADER_SIZE)
    if len(rest) < size - _HEADER_SIZE:
        raise ValueError(_CUT_SHORT)
    return head + rest


def _uncompressed_events(body: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(body):
        size = _size_of(body[start : start + _HEADER_SIZE])
        if len(body) - start < size:
            raise ValueError(_CUT_SHORT)
        yield body[start : start + size]
        start += size


def _size_of(head: bytes) -> int:
    if len(head) < _HEADER_SIZE:
        raise ValueError(_CUT_SHORT)
    size = int.from_bytes(head[_SIZE], "little")
    if size < _HEADER_SIZE:
        raise ValueError("an event is shorter than its header")
    return size


_CUT_SHORT: Final = "the last event is cut short"
