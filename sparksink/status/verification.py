"""The result of a comparison with the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_64: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Verification:
    """Numbers of rows, and the checksums of all rows that had to be equal.

    ``later`` rows changed after the compared position; ``left_out`` are columns that cannot be
    compared.
    """

    table: str
    rows: int
    equal: int
    later: int
    missing: int
    surplus: int
    different: int
    checksums: tuple[int, int]
    left_out: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        """Whether all rows that had to be equal are."""
        return not (self.missing or self.surplus or self.different)


def format_verification(found: Verification) -> str:
    """Return the result in one line."""
    verdict = "EQUAL" if found.is_equal else "DIFFERENT"
    text = (
        f"{found.table}: {verdict}: {found.equal:,} rows, checksum {found.checksums[0] & _64:016x}"
    )
    if not found.is_equal:
        text += (
            f", here {found.checksums[1] & _64:016x}; {found.missing:,} missing,"
            f" {found.surplus:,} too many, {found.different:,} different"
        )
    text += f"; {found.later:,} changed since" if found.later else ""
    names = ", ".join(found.left_out)
    return text + (f"; not compared: {names}" if names else "")
