"""`python -m tools.sink_reference`: write docs/reference/sink.md from the definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sparksink.config.keys import SinkConfig
from sparksink.config.sections import UNITS, Duration, Pattern

FILE: Final = Path(__file__).parents[1] / "docs" / "reference" / "sink.md"

_HEAD: Final = """\
# Configuration keys of the Spark sink

`make reference` generates this page from `sparksink/config/`; do not edit it. An unknown key is an
error. [Configure](../sink/configure.md) explains the form of the file. A duration is a number and a
unit: `500ms`, `30s`, `5m`, `2h` or `7d`. What is *required* in an optional section, such as
`source.database`, is required if you use that section.

| key | value | default | meaning |
|---|---|---|---|
"""
_NAMES: Final = {str: "text", bool: "boolean", int: "number", float: "number"}
# Keys of their own below a prefix, which a validator gathers into a field.
_GATHERED: Final = {
    "source.kafka": "source.kafka.…",
    "target.catalog.properties": "target.catalog.…",
}


def page() -> str:
    """Return the whole page."""
    return _HEAD + "".join(f"{row}\n" for row in _rows(SinkConfig, "", ""))


def _rows(model: type[BaseModel], prefix: str, about: str) -> Iterator[str]:
    """Yield the rows of all keys of a section; the first one has the text about the section."""
    for name, field in model.model_fields.items():
        key = prefix + (field.alias or name)
        section = _section(field.annotation)
        if section is None:
            yield _row(_GATHERED.get(key, key), field, about)
        else:
            yield from _rows(section, f"{key}.", field.description or "")
        about = ""


def _section(annotation: Any) -> type[BaseModel] | None:
    kinds = (annotation, *get_args(annotation)) if get_origin(annotation) is not list else ()
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)


def _row(key: str, field: FieldInfo, about: str) -> str:
    meaning = " ".join(f"{about} {field.description or ''}".split())
    return f"| `{key}` | {_values(field)} | {_default(field)} | {meaning} |"


def _values(field: FieldInfo) -> str:
    """Return the values that a key may have."""
    if field.annotation is float and _is_duration(field):
        return "duration"
    if field.annotation is str and any(part in get_args(Pattern) for part in field.metadata):
        return "regular expression"
    return ", ".join(dict.fromkeys(_kinds(field.annotation)))


def _kinds(annotation: Any) -> Iterator[str]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is Duration:
        yield "duration"
    elif annotation is Pattern:
        yield "regular expression"
    elif origin in (Union, UnionType):
        yield from chain.from_iterable(map(_kinds, parts))
    elif origin is Annotated:
        yield from _kinds(parts[0])
    elif origin is Literal:
        yield from (f"`{part}`" for part in parts)
    elif origin is list:
        yield "list"
    elif origin is dict:
        yield "map"
    elif annotation is not NoneType:
        yield _NAMES[annotation]


def _is_duration(field: FieldInfo) -> bool:
    return any(part in get_args(Duration) for part in field.metadata)


def _default(field: FieldInfo) -> str:
    """Return the default as one writes it."""
    if field.is_required():
        return "*required*"
    value = field.get_default(call_default_factory=True)
    if value in (None, "") or (isinstance(value, (list, Mapping)) and not value):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and _is_duration(field):
        unit, seconds = max((u for u in UNITS.items() if value % u[1] == 0), key=lambda u: u[1])
        return f"`{value / seconds:.0f}{unit}`"
    return f"`{value}`" if isinstance(value, str) else str(value)


if __name__ == "__main__":
    FILE.write_text(page(), "utf-8")
