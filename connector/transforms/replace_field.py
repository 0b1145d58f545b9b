"""Kafka Connect's ReplaceField: leaves fields out and renames them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.config import ConfigDef, ConfigKey, invalid
from connector.data.java import hash_order
from connector.data.record import Record
from connector.data.schema import Field, Schema
from connector.data.symbolic import call
from connector.errors import TransformError
from connector.transforms.field_checks import Check, check_of
from connector.transforms.part import (
    KEY,
    REPLACE_NULLS,
    VALUE,
    Rewrite,
    StructTransform,
    Values,
    struct_like,
    value_or_default,
)
from connector.transforms.validators import distinct_or_empty


def _renames(_: str, value: Any) -> str | None:
    for pair in value or ():
        if len(_split(pair)) != 2:
            listed = f"[{', '.join(value)}]"
            return str(invalid("renames", listed, f"Invalid rename mapping: {pair}"))
    return None


def _split(pair: str) -> list[str]:
    """Split at colons; Java drops empty parts at the end."""
    parts = pair.split(":")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def _former(name: str, new: str) -> ConfigKey:
    """Return a key that Kafka Connect had until version 4; it is no part of its answers today."""
    doc = f"Name of {new} before Kafka 4.0."
    return ConfigKey(name, "LIST", [], "LOW", doc, validator=distinct_or_empty, internal=True)


class ReplaceField(StructTransform):
    """Keeps some fields only, and renames fields."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "exclude", "LIST", [], "MEDIUM", "Fields to leave out, whatever include says.",
                validator=distinct_or_empty,
            ),
            ConfigKey(
                "include", "LIST", [], "MEDIUM", "Fields to keep; empty keeps all.",
                validator=distinct_or_empty,
            ),
            ConfigKey("renames", "LIST", [], "MEDIUM", "Pairs old:new.", validator=_renames),
            REPLACE_NULLS,
            _former("blacklist", "exclude"),
            _former("whitelist", "include"),
        ]
    )  # fmt: skip
    purpose = "field replacement"

    def configure(self, options: Mapping[str, Any]) -> None:
        """Take the settings."""
        self._exclude = set(options["exclude"] or options["blacklist"])
        self._include = set(options["include"] or options["whitelist"])
        self._new_names = dict(_split(pair) for pair in options["renames"])
        self._old_names = {self._new_names[old]: old for old in hash_order(self._new_names)}
        self._defaults: bool = options["replace.null.with.default"]

    def _keeps(self, name: str) -> bool:
        return name not in self._exclude and (not self._include or name in self._include)

    def rewrite(self, schema: Schema) -> Rewrite:
        """Decide which fields stay, and their names."""
        kept = [field for field in schema.fields if self._keeps(field.name)]
        fields = [
            Field(self._new_names.get(field.name, field.name), field.schema) for field in kept
        ]
        new = struct_like(schema, fields)
        sources = [(field.name, *self._source(field, schema)) for field in fields]

        def values(struct: Values, _: Record) -> Values:
            found = {}
            for name, source, check in sources:
                value = value_or_default(
                    source.schema, struct.get(source.name), defaults=self._defaults
                )
                found[name] = value if check is None else call(check, value)
            return found

        return Rewrite(new, values)

    def _source(self, field: Field, schema: Schema) -> tuple[Field, Check | None]:
        """Return the field whose values a new one gets, and a check of them.

        As in Kafka Connect that is the field that ``renames`` gives this name, even if another
        one has it: one that is left out, or that does not exist.
        """
        name = self._old_names.get(field.name, field.name)
        source = schema.field(name)
        if source is None:
            raise TransformError(f"{name} is not a valid field name")
        return source, None if source.schema is field.schema else check_of(source.schema, field)

    def rewrite_map(self, values: Values, record: Record) -> Values:  # noqa: ARG002 - other transforms need the record
        """Do the same to the members of a map."""
        return {
            self._new_names.get(name, name): value
            for name, value in values.items()
            if self._keeps(name)
        }


class ReplaceFieldKey(ReplaceField):
    """For keys."""

    part = KEY


class ReplaceFieldValue(ReplaceField):
    """For values."""

    part = VALUE
