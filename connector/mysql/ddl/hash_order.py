"""The order in which Java iterates over a HashSet of strings.

Debezium joins the names of the tables of one statement in that order, so events show it.
"""

from __future__ import annotations

from collections.abc import Iterable


def order_as_hash_set(names: Iterable[str]) -> list[str]:
    """Return the distinct names in the order of a Java HashSet that was copied once."""
    distinct = list(dict.fromkeys(names))
    grown = 16
    while len(distinct) > grown * 3 // 4:
        grown *= 2
    copied = 16
    while copied < int(len(distinct) / 0.75) + 1:
        copied *= 2
    return _iterated(_iterated(distinct, grown), copied)


def _iterated(names: list[str], capacity: int) -> list[str]:
    return sorted(names, key=lambda name: _spread(name) & (capacity - 1))


def _spread(name: str) -> int:
    units = name.encode("utf-16-be", "surrogatepass")
    value = 0
    for index in range(0, len(units), 2):
        value = (31 * value + (units[index] << 8) + units[index + 1]) & 0xFFFFFFFF
    return value ^ (value >> 16)
