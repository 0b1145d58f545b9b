"""Compares Avro schemas with those that a registry holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

_PRIMITIVE: Final = frozenset(
    ["boolean", "bytes", "double", "float", "int", "long", "null", "string"]
)


def same_fields(one: Any, other: Any, references: Iterable[Any] = ()) -> bool:
    """Whether two schemas have the same fields, types and names: their values equal in bytes.

    ``references`` hold types that the first one only names.
    """
    known: dict[str, Any] = {}
    for reference in references:
        _essence(reference, None, known)
    return bool(_essence(one, None, known) == _essence(other, None, {}))


def _essence(avro: Any, space: str | None, known: dict[str, Any]) -> Any:
    """Return what of a schema decides on bytes; names stand for the ``known`` types."""
    if isinstance(avro, list):
        return [_essence(branch, space, known) for branch in avro]
    if isinstance(avro, str):
        full = avro if "." in avro or avro in _PRIMITIVE or not space else f"{space}.{avro}"
        return known.get(full, full)
    kind = avro["type"]
    if kind not in ("record", "enum", "fixed", "array", "map"):
        return _essence(kind, space, known)
    if kind in ("array", "map"):
        inner = avro["items" if kind == "array" else "values"]
        return kind, _essence(inner, space, known)
    own = avro.get("namespace", space)
    name = avro["name"] if "." in avro["name"] or not own else f"{own}.{avro['name']}"
    own = name.rpartition(".")[0]
    fields = [
        (field["name"], _essence(field["type"], own, known)) for field in avro.get("fields", ())
    ]
    known[name] = kind, name, fields, avro.get("symbols"), avro.get("size")
    return known[name]
