"""The page of the sink's keys has all keys of the definitions, with their defaults."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sparksink.config.keys import SinkConfig

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "sink.md").read_text("utf-8")
ROW = re.compile(r"^\| (`.+?) \| (.*?) \|", re.MULTILINE)


def keys(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        key = prefix + (field.alias or name).replace("_", ".")
        kinds = [
            kind
            for kind in (field.annotation, *getattr(field.annotation, "__args__", ()))
            if isinstance(kind, type) and issubclass(kind, BaseModel)
        ]
        if kinds and "list" not in str(field.annotation):
            yield from keys(kinds[0], f"{key}.")
        else:
            yield key, field


KEYS = {
    key.removesuffix(".properties") if ".catalog." in key else key: field
    for key, field in keys(SinkConfig)
}


def documented() -> dict[str, str]:
    """Return the keys of the page with their defaults; ``.user`` stands for a neighbor's end."""
    found = {}
    for cell, default in ROW.findall(PAGE):
        first, *others = (name.removesuffix(".…") for name in re.findall(r"`([^`]+)`", cell))
        found[first] = default
        for other in others:
            parts = first.split(".")
            names = (".".join(parts[:end]) + other for end in range(len(parts) - 1, 0, -1))
            full = next((name for name in names if name in KEYS), other)
            found[full] = default
    return found


def test_every_key_is_documented() -> None:
    assert KEYS.keys() - documented().keys() == set()


def test_every_documented_key_exists() -> None:
    assert documented().keys() - KEYS.keys() == set()


@pytest.mark.parametrize("key", sorted(KEYS))
def test_the_default_is_right(key: str) -> None:
    default: Any = KEYS[key].get_default(call_default_factory=True)
    written = documented()[key].strip("`")
    if default in (None, ""):
        assert written not in ("true", "false")
    elif isinstance(default, bool):
        assert written == str(default).lower()
    elif isinstance(default, str) and written != "Debezium's" and ", " not in written:
        assert written == default
    elif isinstance(default, int):
        assert written == str(default)
