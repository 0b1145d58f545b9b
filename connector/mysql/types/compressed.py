"""MariaDB's compressed columns (``VARCHAR(n) COMPRESSED``, ``BLOB COMPRESSED``).

The first byte of a value says how the rest is stored: zero means plain; otherwise the high
half names the algorithm (8 = zlib), and the low three bits the number of bytes that follow
with the uncompressed length, big-endian.
"""

from __future__ import annotations

import zlib

from connector.codegen import Expression
from connector.errors import ConversionError

_ZLIB = 8
_NO_HEADER_FLAG = 8


def uncompress_then(convert: Expression) -> Expression:
    """Return the expression that uncompresses a value and then converts it."""
    return Expression(
        convert.template.replace("{}", "@uncompress({})"),
        {**convert.names, "uncompress": uncompress},
    )


def uncompress(data: bytes) -> bytes:
    """Return the plain bytes of a stored value."""
    if not data:
        return data
    header = data[0]
    if header == 0:
        return data[1:]
    if header >> 4 != _ZLIB:
        raise ConversionError(f"unknown column compression method {header >> 4}")
    window = -zlib.MAX_WBITS if header & _NO_HEADER_FLAG else zlib.MAX_WBITS
    try:
        return zlib.decompress(data[1 + (header & 7) :], window)
    except zlib.error:
        raise ConversionError(f"a compressed value of {len(data)} bytes is damaged") from None
