"""Hashes that stand for texts, as Debezium computes them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from connector.config import invalid

_ALGORITHMS: Final = {  # names of the Java Cryptography Architecture
    "MD5": "md5",
    "SHA": "sha1",
    "SHA-1": "sha1",
    "SHA-224": "sha224",
    "SHA-256": "sha256",
    "SHA-384": "sha384",
    "SHA-512": "sha512",
    "SHA-512/224": "sha512_224",
    "SHA-512/256": "sha512_256",
    "SHA3-224": "sha3_224",
    "SHA3-256": "sha3_256",
    "SHA3-384": "sha3_384",
    "SHA3-512": "sha3_512",
}
_LONGEST_SHORT_STRING: Final = 0xFFFF


def hasher(key: str, algorithm: str, salt: str, version: int) -> Callable[[str], str]:
    """Return the function from a text to the hexadecimal digits of its salted hash.

    Version 1 hashes the text as Java serializes it, version 2 its UTF-8 bytes.

    :raises ConfigError: there is no such algorithm; ``key`` is named.
    """
    name = _ALGORITHMS.get(algorithm.upper())
    if name is None:
        known = ", ".join(_ALGORITHMS)
        raise invalid(key, algorithm, f"Hash algorithm must be one of: {known}")
    start = hashlib.new(name, salt.encode(), usedforsecurity=False)
    encode = serialize if version == 1 else str.encode

    def digest(text: str) -> str:
        state = start.copy()
        state.update(encode(text))
        return state.hexdigest()

    return digest


def serialize(text: str) -> bytes:
    """Return a string as Java's ObjectOutputStream writes it alone into a stream."""
    data = _modified_utf8(text)
    if len(data) <= _LONGEST_SHORT_STRING:
        return b"\xac\xed\x00\x05t" + len(data).to_bytes(2, "big") + data
    return b"\xac\xed\x00\x05|" + len(data).to_bytes(8, "big") + data


def _modified_utf8(text: str) -> bytes:
    """Encode as Java does: NUL in two bytes, each half of a surrogate pair in three."""
    if text.isascii() and "\0" not in text:
        return text.encode()
    units = text.encode("utf-16-be", "surrogatepass")
    halves = "".join(
        chr(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2)
    )
    return halves.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")
