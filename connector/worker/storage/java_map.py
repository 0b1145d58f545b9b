"""The offsets file of a standalone Connect worker: a serialized Java ``HashMap<byte[], byte[]>``.

Grammar: Java Object Serialization Specification, chapter 6. Only the one shape that such files
have is read and written; so a file can go from Connect to Millrace and back.

    magic, HashMap object, class data (load factor, threshold), block data (buckets, size),
    then key and value in turn, each a byte array; a null value is one byte
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final

_NULL, _REFERENCE, _CLASS, _ARRAY = b"p", b"q", b"r", b"u"
_STREAM: Final = b"\xac\xed\x00\x05"
_HASH_MAP: Final = (
    b"sr\x00\x11java.util.HashMap\x05\x07\xda\xc1\xc3\x16\x60\xd1\x03\x00\x02"
    b"F\x00\nloadFactorI\x00\tthresholdxp"
)
_BYTE_ARRAY: Final = b"r\x00\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp"
_END: Final = b"x"
_FIRST_HANDLE: Final = 0x7E0000  # the HashMap's class; then the map itself, then the array class
_ARRAY_CLASS: Final = struct.pack(">I", _FIRST_HANDLE + 2)
_LOAD_FACTOR: Final = 0.75


class JavaMapFormat:
    """Reads and writes the file of Kafka's FileOffsetBackingStore."""

    def encode(self, entries: Mapping[bytes, bytes]) -> bytes:
        """Serialize the map as Java does."""
        buckets = 16
        while len(entries) > buckets * _LOAD_FACTOR:
            buckets *= 2
        threshold = int(buckets * _LOAD_FACTOR)
        parts = [_STREAM, _HASH_MAP, struct.pack(">fI", _LOAD_FACTOR, threshold)]
        parts.append(b"w\x08" + struct.pack(">II", buckets, len(entries)))
        descriptor = _BYTE_ARRAY
        for pair in entries.items():
            for item in pair:
                parts.append(_ARRAY + descriptor + struct.pack(">I", len(item)) + item)
                descriptor = _REFERENCE + _ARRAY_CLASS
        return b"".join(parts) + _END

    def decode(self, content: bytes) -> dict[bytes, bytes]:
        """Deserialize the map; entries with a null value are left out."""
        start = len(_STREAM + _HASH_MAP)
        if content[:start] != _STREAM + _HASH_MAP:
            raise ValueError("it is not a serialized java.util.HashMap")
        if content[start + 8 : start + 10] != b"w\x08" or len(content) < start + 18:
            raise ValueError("it is cut off before its entries")
        (size,) = struct.unpack_from(">I", content, start + 14)
        items = _arrays(content, start + 18)
        pairs = [(next(items), next(items)) for _ in range(size)]
        return {key: value for key, value in pairs if key is not None and value is not None}


def _arrays(content: bytes, at: int) -> Iterator[bytes | None]:
    """Yield the byte arrays of the map from offset ``at`` on, None for null.

    :raises ValueError: something else stands there, or the file ends.
    """
    while True:
        tag = content[at : at + 1]
        if tag == _NULL:
            at += 1
            yield None
            continue
        at = _skip_class(content, at + 1) if tag == _ARRAY else len(content)
        if at + 4 > len(content):
            raise ValueError("it is cut off or holds something else than byte arrays")
        (length,) = struct.unpack_from(">I", content, at)
        at += 4 + length
        if at > len(content):
            raise ValueError("it is cut off within an entry")
        yield content[at - length : at]


def _skip_class(content: bytes, at: int) -> int:
    """Return the offset behind the class of an array: written out once, then referred to."""
    reference = _REFERENCE + _ARRAY_CLASS
    for form in (reference, _BYTE_ARRAY):
        if content.startswith(form, at):
            return at + len(form)
    raise ValueError("it holds something else than byte arrays")
