"""Kafka Connect's TimestampConverter: times as texts, numbers or Connect's types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from connector.config import REQUIRED, ConfigDef, ConfigKey, one_of
from connector.data.calendar import DAY
from connector.data.java import grown_hash_order
from connector.data.java_numbers import limited, wrap
from connector.data.java_types import java_class, schema_text
from connector.data.record import Record
from connector.data.schema import INT64, STRING, Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.data.semantic import CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP, JAVA_DATES
from connector.data.simple_date_format import SimpleDateFormat
from connector.data.symbolic import call
from connector.errors import ConfigError, TransformError
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

_PURPOSE = "converting timestamp formats"
_SCHEMAS: Final = {
    "string": STRING,
    "unix": INT64,
    "Date": CONNECT_DATE,
    "Time": CONNECT_TIME,
    "Timestamp": CONNECT_TIMESTAMP,
}
_PER_MILLISECOND: Final = {"nanoseconds": 1_000_000, "microseconds": 1000, "milliseconds": 1}


class TimestampConverter:
    """Converts a field, or the whole key or value."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                "field", "STRING", "", "HIGH", "The field; empty for the whole key or value."
            ),
            ConfigKey(
                "target.type", "STRING", REQUIRED, "HIGH", "What a time becomes.",
                validator=one_of(*_SCHEMAS, case_sensitive=True),
            ),
            ConfigKey(
                "format", "STRING", "", "MEDIUM",
                "Format of texts, as of Java's SimpleDateFormat in UTC.",
            ),
            ConfigKey(
                "unix.precision", "STRING", "milliseconds", "LOW", "Unit of numbers.",
                validator=one_of(
                    "nanoseconds", "microseconds", "milliseconds", "seconds", case_sensitive=True
                ),
            ),
            REPLACE_NULLS,
        ]
    )  # fmt: skip
    part: ClassVar[Part]

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._field: str = options["field"]
        self._target: str = options["target.type"]
        self._precision: str = options["unix.precision"]
        self._defaults: bool = options["replace.null.with.default"]
        self._format = self._parse_format(options["format"])
        self._rewrites = SchemaCache(self._rewrite)

    def _parse_format(self, text: str) -> SimpleDateFormat | None:
        if not text.strip():
            if self._target == "string":
                raise ConfigError(
                    "TimestampConverter requires format option to be specified when using string "
                    "timestamps"
                )
            return None
        try:
            return SimpleDateFormat(text)
        except ValueError as error:
            raise ConfigError(
                "TimestampConverter requires a SimpleDateFormat-compatible pattern for string "
                f"timestamps: {text}: {error}"
            ) from None

    def apply(self, record: Record) -> Record:
        """Convert the time."""
        schema, value = self.part.schema(record), self.part.value(record)
        if schema is None:
            return self.part.replace(record, None, self._without_schema(value))
        if self._field and value is not None:
            require_struct(schema, value, _PURPOSE)
        rewrite = self._rewrites.of(schema)
        new = None if value is None else rewrite.values(value, record)
        return self.part.replace(record, rewrite.schema, new)

    def _rewrite(self, schema: Schema) -> Rewrite:
        if not self._field:
            whole = self._conversion(schema)
            return Rewrite(self._schema(schema), lambda value, _: whole(value))
        if schema.type != "struct":
            raise TransformError("Cannot list fields on non-struct type")
        fields: list[Field] = []
        conversions: list[tuple[Field, Convert | None]] = []
        for field in schema.fields:
            chosen = field.name == self._field
            fields.append(Field(field.name, self._schema(field.schema)) if chosen else field)
            conversions.append((field, self._field_conversion(field.schema) if chosen else None))

        def values(struct: Values, _: Record) -> Values:
            converted = {}
            for field, convert in conversions:
                value = value_or_default(
                    field.schema, struct.get(field.name), defaults=self._defaults
                )
                converted[field.name] = call(convert, value) if convert else value
            return converted

        new = struct_like(schema, fields)
        return Rewrite(new.as_optional() if schema.optional else new, values)

    def _schema(self, schema: Schema) -> Schema:
        new = _SCHEMAS[self._target]
        return new.as_optional() if schema.optional else new

    def _conversion(self, schema: Schema) -> Convert:
        read, write = self._reader(schema), self._writer()
        return lambda value: None if value is None else write(read(value))

    def _field_conversion(self, schema: Schema) -> Convert:
        """Return a conversion; one of another type raises for the first struct, not for a null."""
        try:
            return self._conversion(schema)
        except TransformError as error:
            message = str(error)

            def fail(_: Any) -> Any:
                raise TransformError(message)

            return fail

    def _reader(self, schema: Schema) -> Convert:
        """Return the function from a value to milliseconds."""
        if schema.name in JAVA_DATES:
            unit = JAVA_DATES[schema.name]
            return lambda value: value * unit
        if schema.type == "string":
            return self._parse
        if schema.type == "int64":
            return self._from_number
        raise TransformError(
            f"Schema {schema_text(schema)} does not correspond to a known timestamp type format"
        )

    def _parse(self, text: str) -> int:
        if self._format is None:
            raise TransformError("TimestampConverter needs format to read texts.")
        try:
            return self._format.parse(text)
        except ValueError:
            raise TransformError(
                "Could not parse timestamp: the value does not match pattern "
                f"({self._format.pattern})"
            ) from None

    def _from_number(self, number: int) -> int:
        if self._precision == "seconds":
            return limited(number * 1000, 64)
        return _divide(number, _PER_MILLISECOND[self._precision])

    def _writer(self) -> Convert:
        """Return the function from milliseconds to a value."""
        if self._target == "string":
            assert self._format is not None
            return self._format.format
        if self._target == "unix":
            if self._precision == "seconds":
                return lambda milliseconds: _divide(milliseconds, 1000)
            per_millisecond = _PER_MILLISECOND[self._precision]
            return lambda milliseconds: limited(milliseconds * per_millisecond, 64)
        writers: dict[str, Convert] = {
            "Date": lambda milliseconds: wrap(milliseconds // DAY, 32),
            "Time": lambda milliseconds: milliseconds % DAY,
            "Timestamp": lambda milliseconds: milliseconds,
        }
        return writers[self._target]

    def _without_schema(self, value: Any) -> Any:
        if value is None or not self._field:
            return self._convert_plain(value)
        changed = dict(require_map(value, _PURPOSE))
        changed[self._field] = self._convert_plain(changed.get(self._field))
        return {name: changed[name] for name in grown_hash_order(len(value), changed)}

    def _convert_plain(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._conversion(STRING)(value)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return self._conversion(INT64)(value)
        raise TransformError(
            f"TimestampConverter does not support class {java_class(None, value)} objects as "
            "timestamps"
        )


def _divide(number: int, divisor: int) -> int:
    """Divide toward zero, as Java does."""
    return number // divisor if number >= 0 else -(-number // divisor)


class TimestampConverterKey(TimestampConverter):
    """For keys."""

    part = KEY


class TimestampConverterValue(TimestampConverter):
    """For values."""

    part = VALUE
