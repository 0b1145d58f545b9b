"""Table properties as SQL, and the facts that are stored in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pyspark.sql import Row

from sparksink.sql import string_literal

_FACT: Final = "millrace."


def facts_to_properties(facts: Mapping[str, str]) -> dict[str, str]:
    """Return facts as table properties."""
    return {_FACT + name: value for name, value in facts.items()}


def properties_to_facts(properties: Iterable[Row]) -> dict[str, str]:
    """Return the facts among the rows of ``SHOW TBLPROPERTIES``."""
    return {
        row["key"].removeprefix(_FACT): row["value"]
        for row in properties
        if row["key"].startswith(_FACT)
    }


def properties_sql(properties: Mapping[str, str]) -> str:
    """Return the contents of a ``TBLPROPERTIES`` clause."""
    return ", ".join(
        f"{string_literal(key)} = {string_literal(value)}" for key, value in properties.items()
    )
