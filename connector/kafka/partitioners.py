"""The partition that librdkafka's partitioners choose for a key.

For the few messages whose partition must be known before they are sent.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final
from zlib import crc32

Partitioner = Callable[[bytes | None, int], int]  # key, number of partitions → partition

_WORD: Final = 0xFFFFFFFF
_SIGN: Final = 0x80000000
_MURMUR2_SEED: Final = 0x9747B28C
_MURMUR2_FACTOR: Final = 0x5BD1E995
_FNV1A_OFFSET: Final = 0x811C9DC5
_FNV1A_PRIME: Final = 0x01000193


def murmur2(data: bytes) -> int:
    """Return the hash of Java's default partitioner (``Utils.murmur2``), without its sign."""
    size = len(data)
    aligned = size & ~3
    result = _MURMUR2_SEED ^ size
    for at in range(0, aligned, 4):
        part = int.from_bytes(data[at : at + 4], "little") * _MURMUR2_FACTOR & _WORD
        part = (part ^ part >> 24) * _MURMUR2_FACTOR & _WORD
        result = result * _MURMUR2_FACTOR & _WORD ^ part
    if aligned < size:
        result = (result ^ int.from_bytes(data[aligned:], "little")) * _MURMUR2_FACTOR & _WORD
    result = (result ^ result >> 13) * _MURMUR2_FACTOR & _WORD
    return (result ^ result >> 15) & ~_SIGN


def fnv1a(data: bytes) -> int:
    """Return the absolute value of the signed FNV-1a hash, as Sarama's partitioner takes it."""
    result = _FNV1A_OFFSET
    for byte in data:
        result = (result ^ byte) * _FNV1A_PRIME & _WORD
    return -result & _WORD if result & _SIGN else result


def _by_hash(function: Callable[[bytes], int]) -> Partitioner:
    @lru_cache(maxsize=4096)
    def choose(key: bytes | None, count: int) -> int:
        return function(key or b"") % count

    return choose


def _random(_: bytes | None, count: int) -> int:
    return random.randrange(count)  # noqa: S311 - spreads messages


def _random_without_key(partitioner: Partitioner) -> Partitioner:
    return lambda key, count: (_random if key is None else partitioner)(key, count)


def _random_without_bytes(partitioner: Partitioner) -> Partitioner:
    return lambda key, count: (partitioner if key else _random)(key, count)


PARTITIONERS: Final[Mapping[str, Partitioner]] = {
    "random": _random,
    "consistent": _by_hash(crc32),
    "consistent_random": _random_without_bytes(_by_hash(crc32)),
    "murmur2": _by_hash(murmur2),
    "murmur2_random": _random_without_key(_by_hash(murmur2)),
    "fnv1a": _by_hash(fnv1a),
    "fnv1a_random": _random_without_key(_by_hash(fnv1a)),
}
