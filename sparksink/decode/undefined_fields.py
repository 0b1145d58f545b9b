"""Finds messages without a schema that have fields which the definition of their table lacks.

Such a message is read with the columns of the definition at its position, so another field would be
lost. The schema-change topic may be behind: the connector writes the definition first, but to
another partition, where it can arrive later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.decode.format_names import GARBAGE, PLAIN
from sparksink.decode.message_schema import PlainFields, WireForm
from sparksink.decode.message_schemas import MessageSchemas

UNDEFINED: Final = f"{GARBAGE}:a field that the definition of its table lacks"
"""The mark of messages with such fields."""
_VALUE: Final = "CAST(value AS STRING)"
_IMAGES: Final[Mapping[WireForm, tuple[str, ...]]] = {
    "envelope": ("$.after", "$.before"),
    "cloudevents": ("$.data.after", "$.data.before"),
}
"""Form of a message → paths of the row; the whole value is an unwrapped row."""


def mark_undefined_fields(marked: DataFrame, layouts: MessageSchemas) -> DataFrame:
    """Set the mark of messages with undefined fields to `UNDEFINED`."""
    plain = layouts.plain_fields()
    if not plain:
        return marked
    names: Column = f.lit(None).cast("array<string>")
    lacks: Column = f.lit(False)
    for form in {one.form for one in plain}:
        topics = sorted({one.topic for one in plain if one.form == form})
        here = f.startswith("mark", f.lit(PLAIN)) & f.col("topic").isin(topics)
        names = f.when(here, f.expr(_names_sql(form))).otherwise(names)
    for one in plain:
        here = (f.col("topic") == one.topic) & (f.col("mark") == one.mark)
        lacks = f.when(here, _lacks(one)).otherwise(lacks)
    found = marked.withColumn("__names", names)
    mark = f.when(f.coalesce(lacks, f.lit(False)), UNDEFINED).otherwise(f.col("mark"))
    return found.withColumn("mark", mark).drop("__names")


def _names_sql(form: WireForm) -> str:
    """Return SQL of the names of a row's fields; NULL without a row."""
    if form == "row":  # with the connector's metadata
        return f"filter(json_object_keys({_VALUE}), name -> NOT startswith(name, '__'))"
    images = (f"get_json_object({_VALUE}, '{path}')" for path in _IMAGES[form])
    return f"json_object_keys(coalesce({', '.join(images)}))"


def _lacks(one: PlainFields) -> Column:
    """Return whether a row has a field that is neither known nor left out by the settings."""
    if one.undefined is not None:
        return f.arrays_overlap("__names", _array(one.undefined))
    return f.size(f.array_except("__names", _array(one.known))) > 0


def _array(names: frozenset[str]) -> Column:
    return f.array(*map(f.lit, sorted(names))).cast("array<string>")
