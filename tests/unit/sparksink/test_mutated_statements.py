"""A message of any bytes or any structure stops no job, whichever topic it is in."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
from typing import Any

import pytest

pytest.importorskip("pyspark")

from sparksink.config.file import parse
from sparksink.decode.message_schema import parse_json_schema, wire_form_of
from sparksink.errors import TableError
from sparksink.schemas.definitions import Definitions, Message
from sparksink.schemas.row_schema import key_names
from sparksink.schemas.schema_changes import parse_statements
from tests.fixtures.sink.mutations import mutated
from tests.fixtures.sink.redefined import ChangingTable
from tests.sink.test_mutations import COLUMNS, RowTopic
from tests.unit.sparksink.least_config import LEAST

MUTATIONS = int(os.environ.get("MUTATIONS", "2000"))
CONFIG = parse({**LEAST, "ordering": {"epoch": "header"}})
VALUES = [None, 1, -1, 1e99, True, "x", [], {}, [1], {"a": 1}]


def restructured(value: Any, chance: random.Random) -> Any:
    """Return JSON of which some parts are missing, and some are others."""
    if chance.random() < 0.06:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        return {
            name: restructured(one, chance) for name, one in value.items() if chance.random() > 0.04
        }
    if isinstance(value, list):
        return [restructured(one, chance) for one in value]
    return value


def read(*statements: bytes) -> Definitions:
    """Read messages of the schema-change topic as a batch does."""
    found: list[Message] = [
        (number, one, "0/bin.000001/4/0") for number, one in enumerate(statements)
    ]
    known = Definitions(CONFIG, lambda offset: found[offset:])
    known.refresh()
    for one in parse_statements(found, CONFIG.ordering):
        assert {type(one[name]) for name in ("pos", "source_millis")} <= {int, type(None)}
        assert {type(one[name]) for name in ("ddl", "file", "kind")} <= {str, type(None)}
    for versions in known.all_versions().values():
        assert versions.dropped.isdisjoint(versions.newest.shape.names)
    return known


def test_a_mutated_statement_is_skipped() -> None:
    table = ChangingTable("t", 5)
    table.live(200)
    right = [json.dumps(one).encode() for _, one in table.statements]
    chance = random.Random(1)
    for _ in range(MUTATIONS):
        one = chance.choice(right)
        wrong = mutated(one, chance)
        other = json.dumps(restructured(json.loads(one), chance)).encode()
        read(wrong, other, b'{"tableChanges": 1}')
        assert "shop.t" in read(wrong, other, right[0]).all_versions()


def test_schemas_and_keys_of_mutated_messages_are_read_or_refused() -> None:
    chance, topic = random.Random(2), RowTopic("srv.shop.orders", COLUMNS)
    for number in range(MUTATIONS):
        message = topic.created(number, number)
        value, key = (base64.b64decode(message[part]) for part in ("value64", "key64"))
        with contextlib.suppress(TableError):
            parse_json_schema("json:0", mutated(value, chance))
        assert all(isinstance(name, str) for name in key_names(mutated(key, chance)))
        assert wire_form_of(mutated(value, chance)) in {None, "envelope", "row", "cloudevents"}
