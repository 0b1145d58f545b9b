"""Lists and maps in literals, as Kafka Connect 4.3 reads them (``Values.parseString``)."""

from __future__ import annotations

import pytest

from connector.converters.json import JsonConverter
from connector.data.literals import parse_literal
from connector.data.schema import Schema

DATE = '"type":"int32","optional":false,"name":"org.apache.kafka.connect.data.Date","version":1'


def _written(text: str) -> str:
    schema, value = parse_literal(text)
    assert isinstance(schema, Schema)
    written = JsonConverter({"converter.type": "header"}).from_connect("h", schema, value)
    return (written or b"").decode()


def _list(items: str, payload: str) -> str:
    schema = f'{{"type":"array","items":{{{items}}},"optional":false}}'
    return f'{{"schema":{schema},"payload":{payload}}}'


def _map(keys: str, values: str, payload: str) -> str:
    schema = f'{{"type":"map","keys":{{{keys}}},"values":{{{values}}},"optional":false}}'
    return f'{{"schema":{schema},"payload":{payload}}}'


def _plain(kind: str) -> str:
    return f'"type":"{kind}","optional":false'


@pytest.mark.parametrize(
    ("text", "kind", "payload"),
    [
        ("[ 1 , 2 ]", "int8", "[1,2]"),
        ("[-1,+2]", "int8", "[-1,2]"),
        ("[1,300]", "int16", "[1,300]"),
        ("[1.0]", "int8", "[1]"),
        ("[1e2]", "int8", "[100]"),
        ("[300,1.5]", "float", "[300.0,1.5]"),
        ("[16777217,1.5]", "float", "[1.6777216E7,1.5]"),
        ("[1.1,1e60]", "double", "[1.100000023841858,1.0E60]"),
        ("[true, false]", "boolean", "[true,false]"),
        ('["a","b" ]', "string", '["a","b"]'),
        ('["a,b"," x ",""]', "string", '["a,b"," x ",""]'),
        ('["a\\"b"]', "string", '["a\\\\\\"b"]'),
        ('["null"]', "string", '["null"]'),
        ("[1,]", "int8", "[1]"),
        ("[1]x", "int8", "[1]"),
        ("[1]]", "int8", "[1]"),
    ],
)
def test_a_list(text: str, kind: str, payload: str) -> None:
    assert _written(text) == _list(_plain(kind), payload)


@pytest.mark.parametrize("text", ["[2020-01-02]", '["2020-01-02"]'])
def test_a_list_of_dates(text: str) -> None:
    assert _written(text) == _list(DATE, "[18263]")


def test_lists_and_maps_within_others() -> None:
    inner = f'"type":"array","items":{{{_plain("int8")}}},"optional":false'
    assert _written("[[1],[2]]") == _list(inner, "[[1],[2]]")
    assert _written('{"a":[1]}') == _map(_plain("string"), inner, '{"a":[1]}')


@pytest.mark.parametrize(
    ("text", "keys", "values", "payload"),
    [
        ('{"a" : 1 , "b" : 2}', "string", "int8", '{"a":1,"b":2}'),
        ('{"a":1 "b":2}', "string", "int8", '{"a":1,"b":2}'),
        ('{"a":1,}}', "string", "int8", '{"a":1}'),
        ('{"a":1,"a":2}', "string", "int8", '{"a":2}'),
        ('{"a":1.5,"b":2}', "string", "float", '{"a":1.5,"b":2.0}'),
        ('{1:"x",300:"y"}', "int16", "string", '[[1,"x"],[300,"y"]]'),
        ("{true:1}", "boolean", "int8", "[[true,1]]"),
        ("{12:30}", "int8", "int8", "[[12,30]]"),
        ("{1:2,1.0:3}", "int8", "int8", "[[1,3]]"),
        ("{1.5:2,1:3}", "float", "int8", "[[1.5,2],[1.0,3]]"),
    ],
)
def test_a_map(text: str, keys: str, values: str, payload: str) -> None:
    assert _written(text) == _map(_plain(keys), _plain(values), payload)


@pytest.mark.parametrize(
    "text",
    [
        "[", "[a]", "[null,1]", "[1,null]", "[,1]", "[1 2]", "[1", '["]', "[0x1]", "[1.5f]",
        "[NaN]", "[12:30]", "\\[1]", "{", "{a:1}", "{null:1}", '{"a":}', '{"a"}', "{,}", "a[1]",
        '["a",null,"b"]', '{"a":1,"b":null}', "true}", "null]", '"1"',
        "[[], x]", "[[]", "{1:{},", "1.5 \\",
    ],
)  # fmt: skip
def test_a_text_that_only_looks_like_a_list_or_a_map(text: str) -> None:
    schema, value = parse_literal(text)
    assert schema is not None
    assert (schema.type, value) == ("string", text)


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", "[null]", '[1,"a"]', '{"a":1,"b":"x"}', '[[1],["a"]]', "{[1]:2}", "[true,1]",
     "[1,2020-01-02]", "[1,99999999999999999999]", '{"a":null}'],
)  # fmt: skip
def test_members_without_a_common_type(text: str) -> None:
    with pytest.raises(ValueError, match="no common type"):
        parse_literal(text)
