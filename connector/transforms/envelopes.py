"""Recognizes Debezium's events."""

from __future__ import annotations

from collections.abc import Mapping

from connector.config import Validator, invalid
from connector.data.java import hash_order
from connector.data.record import Record
from connector.errors import ConfigError


def is_envelope(record: Record) -> bool:
    """Return whether the value is the envelope of a row event."""
    schema = record.value_schema
    return schema is not None and schema.name is not None and schema.name.endswith(".Envelope")


def is_schema_change(record: Record) -> bool:
    """Return whether the value describes a DDL statement."""
    schema = record.value_schema
    return (
        schema is not None
        and schema.name is not None
        and schema.name.endswith((".SchemaChangeValue", ".SchemaChangeKey"))
    )


def enum_of(*values: str) -> Validator:
    """Accept the values of a Debezium enumeration, in any case."""
    listed = ", ".join(hash_order(values))

    def check(name: str, value: object) -> str | None:
        if value is None or str(value).strip().lower() in values:
            return None
        return str(invalid(name, value, f"Value must be one of {listed}"))

    return check


def require(options: Mapping[str, object], *names: str) -> None:
    """Refuse settings that lack a value. Debezium's keys are never marked as required.

    :raises ConfigError: with Debezium's text.
    """
    for name in names:
        if options[name] is None or options[name] == []:
            raise ConfigError(f"The '{name}' value is invalid: A value is required")
