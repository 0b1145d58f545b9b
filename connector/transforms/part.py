"""The key or the value of a record, and the transforms that change one of them.

Such a transform has two classes, as in Kafka Connect: ``…$Key`` and ``…$Value``. What follows from
a schema is decided once for each schema; only the values are changed record by record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple

from connector.config import ConfigDef, ConfigKey
from connector.data.java import grown_hash_order
from connector.data.java_types import java_class
from connector.data.record import Record
from connector.data.schema import Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.data.symbolic import or_default, require_known
from connector.errors import TransformError

Values = dict[str, Any]
Convert = Callable[[Any], Any]

REPLACE_NULLS: Final = ConfigKey(
    "replace.null.with.default", "BOOLEAN", True, "MEDIUM",
    "Whether a null becomes the default of its field, if the field has one.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """The key or the value of records."""

    name: Literal["key", "value"]

    def schema(self, record: Record) -> Schema | None:
        """Return the schema of this part."""
        return record.key_schema if self.name == "key" else record.value_schema

    def value(self, record: Record) -> Any:
        """Return the value of this part."""
        return require_known(record.key if self.name == "key" else record.value)

    def replace(self, record: Record, schema: Schema | None, value: Any) -> Record:
        """Put another schema and value into the record, and return it."""
        record.headers = record.headers.copy()
        if self.name == "key":
            record.key_schema, record.key = schema, value
        else:
            record.value_schema, record.value = schema, value
        return record


KEY: Final = Part("key")
VALUE: Final = Part("value")


class Rewrite(NamedTuple):
    """What a transform does to the structs of one schema."""

    schema: Schema
    values: Callable[[Values, Record], Values]


class StructTransform(ABC):
    """Changes the structs in one part of records; ``purpose`` stands in errors as in Connect's."""

    compilable: ClassVar[bool] = True
    config_def: ClassVar[ConfigDef]
    part: ClassVar[Part]
    purpose: ClassVar[str]
    passes_null: ClassVar[bool] = True
    unordered_maps: ClassVar[bool] = True  # Java's HashMap has an order of its own

    def __init__(self, config: Mapping[str, str]) -> None:
        self.configure(self.config_def.parse(config))
        self._rewrites = SchemaCache(self.rewrite)

    @abstractmethod
    def configure(self, options: Mapping[str, Any]) -> None:
        """Take the settings; a `ConfigError` refuses them."""

    @abstractmethod
    def rewrite(self, schema: Schema) -> Rewrite:
        """Return what to do with structs of a schema."""

    @abstractmethod
    def rewrite_map(self, values: Values, record: Record) -> Values:
        """Return the new value of a part without schema."""

    def apply(self, record: Record) -> Record:
        """Change the part."""
        value, schema = self.part.value(record), self.part.schema(record)
        if value is None and self.passes_null:
            return record
        if schema is None:
            new = self.rewrite_map(require_map(value, self.purpose), record)
            if self.unordered_maps:
                new = {name: new[name] for name in grown_hash_order(len(value), new)}
            return self.part.replace(record, None, new)
        require_struct(schema, value, self.purpose)
        rewrite = self._rewrites.of(schema)
        return self.part.replace(record, rewrite.schema, rewrite.values(value, record))


def require_map(value: Any, purpose: str) -> Values:
    """Return a value without schema that has to be a map.

    :raises TransformError: it is something else.
    """
    if not isinstance(value, dict):
        raise TransformError(
            f"Only Map objects supported in absence of schema for [{purpose}], "
            f"found: {java_class(None, value)}"
        )
    return value


def require_struct(schema: Schema, value: Any, purpose: str) -> None:
    """Refuse a value that is no struct.

    :raises TransformError: with Connect's text.
    """
    if value is None or schema.type != "struct":
        raise TransformError(
            f"Only Struct objects supported for [{purpose}], found: {java_class(schema, value)}"
        )


def copying(schema: Schema, *, defaults: bool) -> Callable[[Values], Values]:
    """Return the function that copies a struct, where nulls may become the field's default."""
    present = {
        field.name: field.schema.default
        for field in schema.fields
        if defaults and field.schema.default is not None
    }
    if not present:
        return dict

    def copy(values: Values) -> Values:
        copied = dict(values)
        for name, default in present.items():
            copied[name] = or_default(copied.get(name), default)
        return copied

    return copy


def value_or_default(schema: Schema, value: Any, *, defaults: bool = True) -> Any:
    """Return a field's value, or the default of its schema instead of a null."""
    return or_default(value, schema.default) if defaults else value


def struct_like(schema: Schema, fields: Iterable[Field]) -> Schema:
    """Build a required struct with the name, version, doc and parameters of another schema.

    :raises TransformError: two fields have one name, or one has an empty name.
    """
    members = tuple(fields)
    names = [member.name for member in members]
    if "" in names:
        raise TransformError("fieldName cannot be null.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TransformError(f"Cannot create field because of field name duplication {twice}")
    return Schema(
        "struct", False, schema.name, schema.version, schema.doc, schema.parameters, fields=members
    )
