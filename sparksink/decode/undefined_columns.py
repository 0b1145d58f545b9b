"""Finds columns of messages with schemas that the definitions of their tables lack.

The schema-change topic may be behind: such a column may be a new one, or a renamed one.
"""

from __future__ import annotations

from sparksink.decode.message_schemas import MessageSchemas


def undefined_columns(layouts: MessageSchemas, topic: str, mark: str) -> list[str]:
    """Return columns in the schema of a mark that the definition of its messages lacks.

    Columns that the settings mask or exclude are not among them.
    """
    defined, rules = layouts.defined_columns(topic, mark), layouts.rules(layouts.table(topic))
    if defined is None or rules.types:
        return []
    return [
        name
        for name in layouts.columns(topic, mark)
        if not (name.lower() in defined or name in rules.mask or name in rules.exclude)
    ]


def hidden_columns(layouts: MessageSchemas, topic: str, mark: str) -> list[str]:
    """Return undefined columns that could be renamed ones which the settings mask or exclude."""
    rules = layouts.rules(layouts.table(topic))
    hides = rules.include is None and (rules.mask or rules.exclude)
    return undefined_columns(layouts, topic, mark) if hides else []
