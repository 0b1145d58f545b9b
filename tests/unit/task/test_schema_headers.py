"""Headers with the ids of schemas, on the compiled path and on the generic one."""

from __future__ import annotations

from dataclasses import replace

from connector.capture.change import PositionText, RowChanges
from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.schema import INT32, STRING, Field
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions
from connector.plugin import TaskConverters
from connector.task.pipeline import Pipeline
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE, codec_for
from tests.unit.converters.without_registry import AvroWithIds

OPTIONS = EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 5_000_000)
CODEC = codec_for((Field("id", INT32), Field("name", STRING.as_optional())), ("id",))
SOURCE_VALUES = ("3", "acme", "srv", 5, None, "shop", None, 5000, 5000000, "orders", 0, None)


def test_ids_in_headers_stand_behind_all_others() -> None:
    """A tombstone has that of the key's schema alone, and the position stands before them."""
    options = replace(OPTIONS, tombstones=True)
    gone = RowChanges(CODEC, "d", [((1, "a"), None)], SOURCE_VALUES)
    for text in (None, PositionText("1/")):
        ways = [
            [
                (message.value is None, [name for name, _ in message.headers or ()])
                for message in Pipeline(
                    DebeziumEncoder(options),
                    TaskConverters(AvroWithIds(), AvroWithIds(), SimpleHeaderConverter()),
                    transforms,
                ).messages(replace(gone, position_text=text))
            ]
            for transforms in ([], [replace])
        ]
        position = [] if text is None else ["millrace.position"]
        assert ways[0] == [(False, [*position, "id", "id"]), (True, [*position, "id"])]
        assert ways[0] == ways[1]
