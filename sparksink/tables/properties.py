"""Table properties as SQL, and the sink's own facts among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pyspark.sql import Row

from sparksink.schemas.spark_types import text

_FACT: Final = "millrace."


def of_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """Return the properties in which facts are kept."""
    return {_FACT + name: value for name, value in facts.items()}


def facts_of(properties: Iterable[Row]) -> dict[str, str]:
    """Return the facts among the rows of ``SHOW TBLPROPERTIES``."""
    return {
        row["key"].removeprefix(_FACT): row["value"]
        for row in properties
        if row["key"].startswith(_FACT)
    }


def pairs(properties: Mapping[str, str]) -> str:
    """Return what stands between the brackets of ``TBLPROPERTIES``."""
    return ", ".join(f"{text(key)} = {text(value)}" for key, value in properties.items())
