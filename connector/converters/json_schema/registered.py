"""Compares JSON Schemas with those that a registry holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

_SHAPE: Final = ("type", "properties", "items", "additionalProperties", "oneOf")
_REFERENCE: Final = "$ref"


def same_shape(registered: str, own: str, references: Mapping[str, str]) -> bool:
    """Whether two schemas describe the same values; titles and the like may differ.

    ``references`` are the schemas that the registered one refers to, by their names.
    """
    theirs, ours = orjson.loads(registered), orjson.loads(own)
    return bool(
        _Resolver(theirs, references, []).shape(theirs) == _Resolver(ours, {}, []).shape(ours)
    )


class _Resolver:
    """Reads the shapes of one document, which refers to its own parts and to other documents.

    ``opened`` are the names that are being resolved.
    """

    def __init__(self, document: Any, references: Mapping[str, str], opened: list[str]) -> None:
        self._document = document
        self._references = references
        self._opened = opened

    def shape(self, schema: Any) -> Any:
        """Return what of a schema describes values."""
        if not isinstance(schema, dict):
            return schema
        name = schema.get(_REFERENCE)
        if isinstance(name, str):
            return self._referred(name)
        found = {part: schema[part] for part in _SHAPE if part in schema}
        if found.get("additionalProperties") is True:
            del found["additionalProperties"]  # that is the default
        for part in ("items", "additionalProperties"):
            if part in found:
                found[part] = self.shape(found[part])
        if "properties" in found:
            properties = found["properties"].items()
            found["properties"] = {name: self.shape(inner) for name, inner in properties}
        if "oneOf" in found:
            # Java's order of them depends on the hash codes of a run.
            found["oneOf"] = sorted((self.shape(branch) for branch in found["oneOf"]), key=_text)
        return found

    def _referred(self, name: str) -> Any:
        """Return the shape of a schema by its name; one that holds itself has no shape of ours."""
        if name in self._opened:
            return {_REFERENCE: name}
        self._opened.append(name)
        try:
            if name in self._references:
                document = orjson.loads(self._references[name])
                return _Resolver(document, self._references, self._opened).shape(document)
            return self.shape(self._local(name))
        finally:
            self._opened.pop()

    def _local(self, name: str) -> Any:
        """Return the part of the document that ``#/definitions/…`` names."""
        part = self._document if name.startswith("#/") else None
        for step in name.split("/")[1:]:
            part = part.get(step) if isinstance(part, dict) else None
        return part


def _text(shape: Any) -> bytes:
    return orjson.dumps(shape, option=orjson.OPT_SORT_KEYS)
