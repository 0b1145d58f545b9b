"""Debezium's ExtractChangedRecordState: headers list the fields that an update changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector import names
from connector.config import ConfigDef, ConfigKey
from connector.data.record import Header, Record
from connector.data.schema import OPTIONAL_STRING, Schema, array
from connector.errors import TransformError
from connector.transforms.envelopes import is_envelope


def _key(name: str, doc: str, display_name: str) -> ConfigKey:
    return ConfigKey(
        name, "STRING", None, "LOW", doc, order=1, width="LONG", display_name=display_name
    )


class ExtractChangedRecordState:
    """Adds the names of changed and unchanged fields; both lists are empty except for updates."""

    config_def = ConfigDef(
        [
            _key("header.changed.name", "Header for changed fields.", "Header change name."),
            _key("header.unchanged.name", "Header for others.", "Header unchanged name."),
        ]
    )

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._changed = _header(options["header.changed.name"])
        self._unchanged = _header(options["header.unchanged.name"])

    def apply(self, record: Record) -> Record:
        """Compare the row before and after."""
        if record.value is None or not is_envelope(record):
            return record
        assert record.value_schema is not None
        after, before = (_state(record, name) for name in ("after", "before"))
        changed: list[str] = []
        unchanged: list[str] = []
        if before is not None and after is not None:
            row = record.value_schema.field("after")
            assert row is not None
            for field in row.schema.fields:
                same = _same(field.schema, before.get(field.name), after.get(field.name))
                (unchanged if same else changed).append(field.name)
        for header, fields in ((self._changed, changed), (self._unchanged, unchanged)):
            if header is not None:
                record.headers.append(Header(*header, fields))
        return record


def _state(record: Record, name: str) -> Any:
    """Return a state of the row; earlier transforms may have removed it from the schema."""
    schema = record.value_schema
    if schema is None or schema.field(name) is None:
        raise TransformError(f"{name} is not a valid field name")
    return record.value.get(name)


def _header(name: str | None) -> tuple[str, Schema] | None:
    if name is None or not name.strip():
        return None
    return name, array(OPTIONAL_STRING, optional=True, name=name)


def _same(schema: Schema, one: Any, other: Any) -> bool:
    """Compare as Java's equals: a NaN equals itself, 0.0 is not -0.0, and no array another."""
    if schema.name == names.BITS:
        return one is None and other is None
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    return bool(one == other)
