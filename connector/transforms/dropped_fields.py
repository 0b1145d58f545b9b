"""The settings drop.fields.* of ExtractNewRecordState: a header lists fields to leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from connector.config import ConfigKey
from connector.data.record import Record
from connector.data.schema import Schema
from connector.errors import TransformError
from connector.transforms.part import KEY, VALUE, Part
from connector.transforms.replace_field import ReplaceField, ReplaceFieldKey, ReplaceFieldValue

DROP_KEYS: Final = (
    ConfigKey(
        "drop.fields.header.name", "STRING", None, "LOW",
        "Name of a header that lists the fields to leave out.", order=1, width="SHORT",
        display_name="Specifies a header that contains a list of field names to be removed",
    ),
    ConfigKey(
        "drop.fields.from.key", "BOOLEAN", False, "LOW",
        "Whether they are left out of the key, too.", order=1, width="SHORT",
        display_name="Specifies whether the fields to be dropped should also be omitted from the "
        "key",
    ),
    ConfigKey(
        "drop.fields.keep.schema.compatible", "BOOLEAN", True, "LOW",
        "Whether only optional fields are left out.", order=1, width="SHORT",
        display_name="Specifies if fields are dropped, will the event's schemas be compatible",
    ),
)  # fmt: skip
_MAX_SETS: Final = 1_000


class DroppedFields:
    """Leaves out the fields that a header lists, such as unchanged ones."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._header: str = (options["drop.fields.header.name"] or "").strip()
        self._from_key: bool = options["drop.fields.from.key"]
        self._only_optional: bool = options["drop.fields.keep.schema.compatible"]
        self._transforms: dict[tuple[str, ...], ReplaceField] = {}

    def drop(self, record: Record) -> Record:
        """Leave the fields out."""
        names = self._names(record)
        if not names:
            return record
        if self._from_key and record.key is not None:
            record = self._replace(record, KEY, names)
        return self._replace(record, VALUE, names)

    def _names(self, record: Record) -> list[str]:
        for header in record.headers:
            if self._header and header.name == self._header:
                return header.value or []
        return []

    def _replace(self, record: Record, part: Part, names: list[str]) -> Record:
        schema = part.schema(record)
        dropped = tuple(self._dropped(schema, names))
        if not dropped:
            return record
        known = self._transforms.get((part.name, *dropped))
        if known is None:
            if len(self._transforms) >= _MAX_SETS:
                del self._transforms[next(iter(self._transforms))]
            made = ReplaceFieldKey if part is KEY else ReplaceFieldValue
            known = made({"exclude": ",".join(dropped)})
            self._transforms[part.name, *dropped] = known
        return known.apply(record)

    def _dropped(self, schema: Schema | None, names: list[str]) -> list[str]:
        if not self._only_optional:
            return names
        if schema is None:
            raise TransformError("Fields cannot be left out of a value without schema.")
        return [
            field.name for field in schema.fields if field.schema.optional and field.name in names
        ]
