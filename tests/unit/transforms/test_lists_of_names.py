"""Empty names in the lists of Debezium's transforms: those at the end do not count."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.data.schema import INT32, STRING, struct
from connector.errors import ConfigError
from connector.transforms.event_router import EventRouter
from connector.transforms.extract_new_record_state import ExtractNewRecordState
from connector.transforms.geometries import SwapGeometryCoordinates
from connector.transforms.header_to_value import HeaderToValue
from connector.transforms.partition_routing import PartitionRouting
from connector.transforms.schema_change_event_filter import SchemaChangeEventFilter
from connector.transforms.timezone_converter import TimezoneConverter

ROW = struct("Row", ("id", INT32)).as_optional()
SOURCE = struct("Source", ("table", STRING))
ENVELOPE = struct("x.Envelope", ("before", ROW), ("after", ROW), ("source", SOURCE), ("op", STRING))


def _event() -> Record:
    value = {"before": None, "after": {"id": 1}, "source": {"table": "t"}, "op": "c"}
    return Record("x", None, None, None, ENVELOPE, value)


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("op,", {"__op": "c"}),
        (",op", {"__op": "c"}),
        ("op,,table", {"__op": "c", "__table": "t"}),
        (":x", {}),
        (":op:", {}),
        (",", {}),
        ("source..table", {}),
        ("source.table.", {"__source_table": "t"}),
        ("op:,table:from", {"__op": "c", "__from": "t"}),
    ],
)
def test_added_fields(text: str, added: dict[str, Any]) -> None:
    found = ExtractNewRecordState({"add.fields": text}).apply(_event())
    assert found is not None
    assert found.value == {"id": 1, **added}


@pytest.mark.parametrize("text", [":", "op:a:b", "."])
def test_added_fields_without_a_name(text: str) -> None:
    with pytest.raises(ConfigError, match="Unexpected field name"):
        ExtractNewRecordState({"add.fields": text})


@pytest.mark.parametrize(
    ("fields", "partition"), [("change.id,", 1), (",", None), ("change..id", None)]
)
def test_fields_of_a_partition(fields: str, partition: int | None) -> None:
    settings = {"partition.payload.fields": fields, "partition.topic.num": "7"}
    assert PartitionRouting(settings).apply(_event()).partition == partition


@pytest.mark.parametrize(
    ("made", "settings"),
    [
        (TimezoneConverter, {"converted.timezone": "UTC", "include.list": ","}),
        (TimezoneConverter, {"converted.timezone": "UTC", "exclude.list": "source:t:at,"}),
        (EventRouter, {"table.fields.additional.placement": "a:header,"}),
        (EventRouter, {"table.fields.additional.placement": ","}),
        (SchemaChangeEventFilter, {"schema.change.event.exclude.list": "DROP,"}),
        (SchemaChangeEventFilter, {"schema.change.event.exclude.list": ","}),
        (SwapGeometryCoordinates, {"srids": "4326,"}),
        (HeaderToValue, {"headers": "a,", "fields": "b,", "operation": "move"}),
    ],
)
def test_a_comma_at_the_end(made: Any, settings: dict[str, str]) -> None:
    assert made(settings)


@pytest.mark.parametrize(
    ("made", "settings"),
    [
        (PartitionRouting, {"partition.payload.fields": ",op", "partition.topic.num": "7"}),
        (EventRouter, {"table.fields.additional.placement": "a:header,,b:header"}),
        (SchemaChangeEventFilter, {"schema.change.event.exclude.list": "DROP,,ALTER"}),
        (HeaderToValue, {"headers": "a,,b", "fields": "c,,d", "operation": "move"}),
    ],
)
def test_an_empty_name_between_others_is_refused(made: Any, settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        made(settings)
