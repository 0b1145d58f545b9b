"""Kafka Connect's MaskField: replaces the values of fields by nothing or by a fixed text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from connector.config import REQUIRED, ConfigDef, ConfigKey, non_empty
from connector.data.decimals import ScaledDecimal
from connector.data.java import to_float32
from connector.data.java_numbers import (
    BITS,
    decimal_float,
    decimal_integer,
    parse_decimal,
    wrap,
)
from connector.data.java_types import java_class
from connector.data.record import Record
from connector.data.schema import Schema
from connector.data.semantic import JAVA_DATES
from connector.data.symbolic import call_unless_null, replace_unless_null
from connector.errors import TransformError
from connector.names import CONNECT_DECIMAL
from connector.transforms.part import (
    KEY,
    REPLACE_NULLS,
    VALUE,
    Rewrite,
    StructTransform,
    Values,
    copying,
)
from connector.transforms.validators import distinct

_NOTHING: Final[dict[str, Any]] = {
    "boolean": False,
    **dict.fromkeys(("int8", "int16", "int32", "int64"), 0),
    **dict.fromkeys(("float32", "float64"), 0.0),
    "string": "",
    "array": [],
    "map": {},
}


class MaskField(StructTransform):
    """Masks fields; a null stays one."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "fields", "LIST", REQUIRED, "HIGH", "The fields to mask.", validator=distinct
            ),
            ConfigKey(
                "replacement", "STRING", None, "LOW",
                "The new value, for numbers and texts; else 0, false, an empty text.",
                validator=non_empty,
            ),
            REPLACE_NULLS,
        ]
    )  # fmt: skip
    purpose = "mask fields"
    passes_null = False

    def configure(self, options: Mapping[str, Any]) -> None:
        """Take the settings."""
        self._fields = set(options["fields"])
        self._replacement: str | None = options["replacement"]
        self._defaults: bool = options["replace.null.with.default"]

    def rewrite(self, schema: Schema) -> Rewrite:
        """Decide what each masked field becomes."""
        masks = [
            (field.name, self._mask(field.schema))
            for field in schema.fields
            if field.name in self._fields
        ]
        copy = copying(schema, defaults=self._defaults)

        def values(struct: Values, _: Record) -> Values:
            masked = copy(struct)
            for name, mask in masks:
                masked[name] = mask(masked.get(name))
            return masked

        return Rewrite(schema, values)

    def rewrite_map(self, values: Values, record: Record) -> Values:  # noqa: ARG002 - other transforms need the record
        """Mask members of a map."""
        masked = dict(values)
        for name in self._fields:
            value = values.get(name)
            masked[name] = self._mask(_schema_of(value))(value)
        return masked

    def _mask(self, schema: Schema) -> Callable[[Any], Any]:
        """Return the function that masks a value; one that cannot raises for any but null."""
        try:
            masked = _nothing(schema) if self._replacement is None else self._replaced(schema)
        except TransformError as error:
            message = str(error)

            def fail(_: Any) -> Any:
                raise TransformError(message)

            return partial(call_unless_null, fail)
        return partial(replace_unless_null, masked)

    def _replaced(self, schema: Schema) -> Any:
        text = self._replacement or ""
        kind = schema.type if schema.name not in JAVA_DATES else "date"
        if kind == "string":
            return text
        try:
            if schema.name == CONNECT_DECIMAL:
                return _scaled(*parse_decimal(text), schema)
            if kind in BITS:
                return wrap(wrap(decimal_integer(*parse_decimal(text)), 64), BITS[kind])
            if kind in ("float32", "float64"):
                number = decimal_float(*parse_decimal(text))
                return number if kind == "float64" else to_float32(number)
        except ValueError:
            raise TransformError(
                f"Unable to convert {text} (class java.lang.String) to null"
            ) from None
        name = java_class(schema, text)
        raise TransformError(f"Cannot mask value of type class {name} with custom replacement.")


def _nothing(schema: Schema) -> Any:
    if schema.name == CONNECT_DECIMAL:
        return _scaled(0, 0, schema)
    if schema.type not in _NOTHING:
        raise TransformError(f"Cannot mask value of type: class {java_class(schema, '')}")
    return _NOTHING[schema.type]


def _scaled(unscaled: int, scale: int, schema: Schema) -> int:
    """Return an unscaled value that has this scale, as the BigDecimal of Java has."""
    expected = int((schema.parameters or {}).get("scale", "0"))
    return unscaled if scale == expected else ScaledDecimal(unscaled, scale, expected)


def _schema_of(value: Any) -> Schema:
    """Return a schema for a value that has none."""
    if isinstance(value, bool):
        return Schema("boolean")
    for kind, name in ((int, "int64"), (float, "float64"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return Schema(name)  # type: ignore[arg-type]  # names of types
    return Schema("map" if isinstance(value, dict) else "bytes")


class MaskFieldKey(MaskField):
    """For keys."""

    part = KEY


class MaskFieldValue(MaskField):
    """For values."""

    part = VALUE
