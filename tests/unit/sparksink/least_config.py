"""The smallest configuration of the sink, and changes to it."""

from __future__ import annotations

LEAST = {
    "name": "shop-sink",
    "source": {"bootstrap.servers": "localhost:9092", "topics": r"srv\..*"},
    "checkpoint": "file:///c",
    "target": {"path": "file:///t"},
}


def changed(**sections: object) -> dict[str, object]:
    return {**LEAST, **sections}


def source(**keys: object) -> dict[str, object]:
    return changed(source={**LEAST["source"], **{k.replace("_", "."): v for k, v in keys.items()}})  # type: ignore[dict-item] # a mapping
