"""Names of schemas and fields as Avro takes them: ``schema.name.adjustment.mode``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Adjust = Callable[[str], str]


def unadjusted(name: str) -> str:
    """Return the name as it is."""
    return name


def schema_names(mode: str) -> Adjust:
    """Return how names of schemas are adjusted: ``none``, ``avro`` or ``avro_unicode``."""
    return _MODES[mode](".")


def field_names(mode: str) -> Adjust:
    """Return how names of fields are adjusted; a dot is not allowed in them."""
    return _MODES[mode]("")


def _underscores(inside: str) -> Adjust:
    def adjust(name: str) -> str:
        if not name:
            return name
        first, *others = _units(name)
        start = first if _is_letter(first) or first == "_" else "_"
        if first.isdecimal():  # kept behind, so that names which differ in it stay different
            start += first
        return start + "".join(
            unit if _is_letter(unit) or unit in _DIGITS or unit in ("_", inside) else "_"
            for unit in others
        )

    return adjust


def _escapes(inside: str) -> Adjust:
    """An underscore starts an escape, so that one itself is escaped."""

    def adjust(name: str) -> str:
        return "".join(
            unit
            if _is_letter(unit) or (number and (unit in _DIGITS or unit == inside))
            else escaped(unit)
            for number, unit in enumerate(_units(name))
        )

    return adjust


def escaped(unit: str) -> str:
    """Return the escape of a UTF-16 unit, with four digits, except for those below 16."""
    digits = f"{ord(unit):x}"
    return f"_u00{digits}" if len(digits) <= 2 else f"_u{digits}"


def _units(name: str) -> list[str]:
    data = name.encode("utf-16-be", "surrogatepass")
    return [chr(int.from_bytes(data[at : at + 2], "big")) for at in range(0, len(data), 2)]


def _is_letter(unit: str) -> bool:
    return unit.isascii() and unit.isalpha()


_DIGITS: Final = frozenset("0123456789")
_MODES: Final[dict[str, Callable[[str], Adjust]]] = {
    "none": lambda _: unadjusted,
    "avro": _underscores,
    "avro_unicode": _escapes,
}
