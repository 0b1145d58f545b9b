"""Header values as Connect's SimpleHeaderConverter writes them; taken from Connect 4.3."""

from __future__ import annotations

from typing import Any

import pytest

from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT32,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP, decimal

_KEY = struct("k", ("id", INT32), ("name", STRING), ("d", CONNECT_DATE), ("b", BYTES))


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (STRING, 'plain "text"', 'plain "text"'),
        (STRING, "", ""),
        (BOOLEAN, False, "false"),
        (INT32, -7, "-7"),
        (FLOAT32, 0.10000000149011612, "0.1"),
        (FLOAT64, 1e-5, "1.0E-5"),
        (BYTES, b"\xd5", "1Q=="),
        (BYTES, b"", ""),
        (decimal(2), 150, "1.50"),
        (CONNECT_DATE, 19782, "2024-02-29"),
        (CONNECT_DATE, -1, "00:00:00.000Z"),  # before 1970: Connect takes it for a time
        (CONNECT_TIME, 1629, "00:00:01.629Z"),
        (CONNECT_TIMESTAMP, 951782400123, "2000-02-29T00:00:00.123Z"),
        (CONNECT_TIMESTAMP, 951782400000, "2000-02-29"),
        (array(STRING), ['a"\\', "b"], '["a\\"\\\\","b"]'),
        (array(BYTES.as_optional()), [b"\xd5", None], '["1Q==",null]'),
        (map_of(STRING, INT32), {"x": 1}, '{"x":1}'),
        (
            _KEY,
            {"id": 1, "name": "ü", "d": 19782, "b": b"\xd5"},
            '{"id":1,"name":"ü","d":2024-02-29,"b":"1Q=="}',
        ),
        (struct("k", ("n", INT32.with_changes(optional=True, default=5))), {"n": None}, '{"n":5}'),
        (struct("k", ("n", INT32.as_optional())), {"n": None}, '{"n":null}'),
        (None, {"a": [1, 1e10]}, '{"a":[1,1.0E10]}'),
    ],
)
def test_a_header_is_written_as_text(schema: Schema | None, value: Any, text: str) -> None:
    assert SimpleHeaderConverter().from_header("h", schema, value) == text.encode()


def test_null_stays_null() -> None:
    assert SimpleHeaderConverter().from_header("h", STRING.as_optional(), None) is None
