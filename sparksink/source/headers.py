"""Headers of Kafka messages in Spark's SQL."""

from __future__ import annotations

from sparksink.sql import string_literal


def header_text(name: str) -> str:
    """Return SQL with the text of the first header of a name, NULL if a message has none."""
    return f"CAST(get(filter(headers, h -> h.key = {string_literal(name)}), 0).value AS STRING)"
