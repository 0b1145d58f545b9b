"""Keys that are known from elsewhere and not built here, each with what to do instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

UNSUPPORTED: Final[Mapping[tuple[str, str], tuple[object, str]]] = {
    ("source", "kind"): (
        "kafka_py",
        "use kind: kafka, whose jars python -m sparksink.jars fetches",
    ),
    ("source", "notification.topic"): (
        None,
        "the messages themselves tell where a snapshot ends, as does the header millrace.position",
    ),
    ("target", "illegal.chars"): (
        "replace",
        "names stay those of the source, which all formats can hold; make a view with others",
    ),
    ("metrics", "openlineage"): (
        None,
        "give Spark OpenLineage's listener, by its jar and spark.extraListeners",
    ),
}
"""Section and key → the value that is not supported, None for any, and the remedy."""


def unsupported(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a configuration that asks for such a key."""
    for (section, key), (value, remedy) in UNSUPPORTED.items():
        given = document.get(section)
        if isinstance(given, Mapping) and key in given and value in (None, given[key]):
            told = key if value is None else f"{key}: {value}"
            yield f"{section}.{told} is not supported: {remedy}"
