"""Kafka Connect's Flatten: the fields of nested structs become fields of the outer one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from connector.config import ConfigDef, ConfigKey
from connector.data.record import Record
from connector.data.schema import Field, Schema
from connector.data.symbolic import or_default
from connector.errors import TransformError
from connector.transforms.part import KEY, VALUE, Rewrite, StructTransform, Values, struct_like


class _LeafField(NamedTuple):
    """A field that is no struct: where it is, its new name and schema."""

    above: tuple[str, ...]
    last: str
    name: str
    schema: Schema


class Flatten(StructTransform):
    """Joins the names of nested fields."""

    config_def = ConfigDef(
        [ConfigKey("delimiter", "STRING", ".", "MEDIUM", "What stands between the joined names.")]
    )
    purpose = "flattening"
    unordered_maps = False

    def configure(self, options: Mapping[str, Any]) -> None:
        """Take the settings."""
        self._delimiter: str = options["delimiter"]

    def rewrite(self, schema: Schema) -> Rewrite:
        """Find the fields that are no structs."""
        leaves = list(self._leaves(schema, (), optional=schema.optional))

        def values(struct: Values, _: Record) -> Values:
            flat = {}
            for leaf in leaves:
                inner: Values | None = struct
                for step in leaf.above:
                    inner = inner.get(step) if inner is not None else None
                if inner is not None:
                    flat[leaf.name] = or_default(inner.get(leaf.last), leaf.schema.default)
            return flat

        return Rewrite(
            struct_like(schema, (Field(leaf.name, leaf.schema) for leaf in leaves)), values
        )

    def _leaves(
        self, schema: Schema, above: tuple[str, ...], *, optional: bool
    ) -> Iterator[_LeafField]:
        for field in schema.fields:
            path = (*above, field.name)
            name = self._delimiter.join(path)
            may_lack = optional or field.schema.optional
            if field.schema.type == "struct":
                yield from self._leaves(field.schema, path, optional=may_lack)
            elif field.schema.type == "map":
                raise TransformError(
                    "Flatten transformation does not support MAP for record with schemas "
                    f"(for field {name})."
                )
            else:
                flat = field.schema.with_changes(optional=may_lack)
                yield _LeafField(above, field.name, name, flat)

    def rewrite_map(self, values: Values, record: Record) -> Values:  # noqa: ARG002 - other transforms need the record
        """Do the same to a map."""
        return dict(self._members(values, ""))

    def _members(self, values: Values, above: str) -> Iterator[tuple[str, Any]]:
        for key, value in values.items():
            name = f"{above}{self._delimiter}{key}" if above else key
            if isinstance(value, dict):
                yield from self._members(value, name)
            else:
                yield name, value


class FlattenKey(Flatten):
    """For keys."""

    part = KEY


class FlattenValue(Flatten):
    """For values."""

    part = VALUE
