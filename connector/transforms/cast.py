"""Kafka Connect's Cast: other types for fields, or for the whole key or value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from connector.config import REQUIRED, ConfigDef, ConfigKey, invalid
from connector.data.java import grown_hash_order, hash_order
from connector.data.record import Record
from connector.data.schema import Field, Schema, Type
from connector.data.schema_cache import SchemaCache
from connector.data.semantic import JAVA_DATES
from connector.data.symbolic import call
from connector.errors import ConfigError
from connector.transforms import casts
from connector.transforms.part import (
    KEY,
    REPLACE_NULLS,
    VALUE,
    Convert,
    Part,
    Rewrite,
    Values,
    require_map,
    require_struct,
    struct_like,
    value_or_default,
)

_PURPOSE = "cast types"
_WHOLE = ""  # no field has this name in a spec


def _spec(_: str, value: Any) -> str | None:
    if value is REQUIRED or value is None:
        return None
    if not value:
        return "Must specify at least one field to cast."
    try:
        _parse(value)
    except ConfigError as error:
        return str(error)
    return None


def _parse(spec: list[str]) -> dict[str, Type]:
    found: dict[str, Type] = {}
    for item in spec:
        parts = item.split(":")
        if len(parts) > 2:
            listed = f"[{', '.join(spec)}]"
            raise invalid("renames", listed, f"Invalid rename mapping: {item}")
        name = parts[0].strip() if len(parts) == 2 else _WHOLE
        found[name] = _type(parts[-1].strip())
    if _WHOLE in found and len(spec) > 1:
        raise ConfigError(
            "Cast transformations that specify a type to cast the entire value to may only specify "
            "a single cast in their spec"
        )
    return found


def _type(text: str) -> Type:
    kind = text.lower()
    if kind in casts.TARGETS:
        return kind
    if kind in ("bytes", "array", "map", "struct"):
        listed = ", ".join(name.upper() for name in casts.TARGETS)
        raise ConfigError(
            f"Cast transformation does not support casting to {text.upper()}; supported types are "
            f"[{listed}]"
        )
    raise ConfigError(f"Invalid type found in casting spec: {text}")


class Cast:
    """Converts values to other types."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                "spec", "LIST", REQUIRED, "HIGH",
                "Pairs field:type, or one type for the whole key or value. Types: "
                + ", ".join(casts.TARGETS),
                validator=_spec,
            ),
            REPLACE_NULLS,
        ]
    )  # fmt: skip
    part: ClassVar[Part]

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._types = _parse(options["spec"])
        self._defaults: bool = options["replace.null.with.default"]
        make = self._whole if _WHOLE in self._types else self._fields
        self._rewrites = SchemaCache(make)

    def apply(self, record: Record) -> Record:
        """Convert the part, or fields of it."""
        value, schema = self.part.value(record), self.part.schema(record)
        if value is None:
            return record
        if schema is None:
            return self.part.replace(record, None, self._without_schema(value))
        if _WHOLE not in self._types:
            require_struct(schema, value, _PURPOSE)
        rewrite = self._rewrites.of(schema)
        return self.part.replace(record, rewrite.schema, rewrite.values(value, record))

    def _whole(self, schema: Schema) -> Rewrite:
        target = self._types[_WHOLE]
        convert = casts.cast(schema, target)
        # A date that is cast to its own number has to lose the name: it is no date any more.
        name = None if schema.name in JAVA_DATES and schema.type == target else schema.name
        new = Schema(
            target, schema.optional, name, schema.version, schema.doc,
            schema.parameters, convert(schema.default),
        )  # fmt: skip
        return Rewrite(new, lambda value, _: convert(value))

    def _fields(self, schema: Schema) -> Rewrite:
        fields: list[Field] = []
        conversions: list[tuple[Field, Convert | None]] = []
        for field in schema.fields:
            target = self._types.get(field.name)
            if target is None:
                fields.append(field)
                conversions.append((field, None))
            else:
                convert = casts.cast(field.schema, target)
                default = convert(field.schema.default)
                new = Schema(target, field.schema.optional, default=default)
                fields.append(Field(field.name, new))
                conversions.append((field, convert))

        def values(struct: Values, _: Record) -> Values:
            converted = {}
            for field, convert in conversions:
                value = value_or_default(
                    field.schema, struct.get(field.name), defaults=self._defaults
                )
                converted[field.name] = value if convert is None else call(convert, value)
            return converted

        new = struct_like(schema, fields)
        return Rewrite(new.as_optional() if schema.optional else new, values)

    def _without_schema(self, value: Any) -> Any:
        if _WHOLE in self._types:
            return _cast_plain(value, self._types[_WHOLE])
        changed = dict(require_map(value, _PURPOSE))
        for name in hash_order(self._types):
            changed[name] = _cast_plain(changed.get(name), self._types[name])
        return {name: changed[name] for name in grown_hash_order(len(value), changed)}


def _cast_plain(value: Any, target: Type) -> Any:
    """Convert a value without schema."""
    if isinstance(value, bool):
        kind: Type = "boolean"
    elif isinstance(value, int):
        kind = "int64"
    elif isinstance(value, float):
        kind = "float64"
    elif isinstance(value, str):
        kind = "string"
    else:
        kind = "bytes" if isinstance(value, bytes) else "map"
    return casts.cast(Schema(kind), target)(value)


class CastKey(Cast):
    """For keys."""

    part = KEY


class CastValue(Cast):
    """For values."""

    part = VALUE
