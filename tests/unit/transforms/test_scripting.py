"""Filter and ContentBasedRouter: expressions in CEL, and those that are translated to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from connector.data.record import Header, Record
from connector.data.schema import INT32, INT64, OPTIONAL_INT32, STRING, struct
from connector.data.semantic import decimal
from connector.errors import ConfigError, TransformError
from connector.transforms.cel_expression import CelExpression
from connector.transforms.script_translation import translate
from connector.transforms.scripting import ConditionFilter, ContentBasedRouter

ROW = struct(
    "srv.shop.t.Value",
    ("id", INT32),
    ("level", OPTIONAL_INT32),
    ("name", STRING),
    ("price", decimal(2, 10).as_optional()),
    optional=True,
)
SOURCE = struct("source", ("table", STRING), ("ts_ms", INT64))
ENVELOPE = struct(
    "srv.shop.t.Envelope", ("before", ROW), ("after", ROW), ("source", SOURCE), ("op", STRING)
)
KEY = struct("srv.shop.t.Key", ("id", INT32))


def row(number: int = 2, level: int | None = 7) -> dict[str, Any]:
    return {"id": number, "level": level, "name": "Ann", "price": 1250}


def record(
    op: str = "u", before: dict[str, Any] | None = None, after: dict[str, Any] | None = None
) -> Record:
    before = row() if op in "ud" and before is None else before
    after = row() if op in "cru" and after is None else after
    source = {"table": "t", "ts_ms": 5}
    value = {"before": before, "after": after, "source": source, "op": op}
    return Record("srv.shop.t", None, KEY, {"id": 2}, ENVELOPE, value, [Header("kind", INT32, 1)])


def tombstone() -> Record:
    return Record("srv.shop.t", None, KEY, {"id": 2}, None, None)


def keeps(condition: str, event: Record, language: str = "cel", **more: str) -> bool:
    config = {"language": language, "condition": condition}
    config |= {key.replace("_", "."): text for key, text in more.items()}
    return ConditionFilter(config).apply(event) is event


@pytest.mark.parametrize(
    ("condition", "event", "expected"),
    [
        ("value.op == 'u' && value.before.id == 2", record(), True),
        ("value.op == 'u' && value.before.id == 2", record(before=row(3)), False),
        ("value.op == 'u' && value.before.id == 2", record("c"), False),
        ("value.op != 'd' || value.before.id != 2", record("d"), False),
        ("topic.startsWith('srv.')", record(), True),
        ("headers.kind.value == 1", record(), True),
        ("headers['kind'].schema.type == 'INT32'", record(), True),
        ("header.kind.value == 1", record(), True),
        ("key.id == 2 && keySchema.name.endsWith('.Key')", record(), True),
        ("valueSchema.name == 'srv.shop.t.Envelope'", record(), True),
        ("value.after.price > 12.4 && value.after.price < 12.6", record(), True),
        ("value.exists(name, name == 'op')", record(), True),
        ("has(value.nope)", record(), False),
        ("value.after.level == null", record(after=row(level=None)), True),
    ],
)
def test_a_condition_decides(condition: str, event: Record, expected: bool) -> None:
    assert keeps(condition, event) is expected


@pytest.mark.parametrize(("mode", "kept"), [("keep", True), ("drop", False), ("EVALUATE", True)])
def test_tombstones(mode: str, kept: bool) -> None:
    assert keeps("value == null", tombstone(), null_handling_mode=mode) is kept


@pytest.mark.parametrize(
    "text", ["value.source.snapshot == 'false'", "value.get('source').snapshot == 'false'"]
)
def test_a_null_is_the_default_of_its_column(text: str) -> None:
    snapshot = replace(STRING, optional=True, default="false")
    price = replace(decimal(2, 10).as_optional(), default=1250)
    source = struct("source", ("snapshot", snapshot), ("price", price))
    schema = struct("srv.shop.t.Envelope", ("source", source), ("op", STRING))
    value = {"source": {"snapshot": None, "price": None}, "op": "u"}
    event = Record("srv.shop.t", None, KEY, {"id": 2}, schema, value)
    assert keeps(text, event, "jsr223.groovy")
    assert keeps("value.source.price == 12.5", event)


def test_a_tombstone_that_is_evaluated_has_no_members() -> None:
    with pytest.raises(TransformError, match="one may be null"):
        keeps("value.op == 'u'", tombstone(), null_handling_mode="evaluate")


def test_other_topics_pass() -> None:
    assert keeps("false", record(), topic_regex="other.*")
    assert not keeps("false", record(), topic_regex="srv.*")


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("value.op", "neither true nor false"),
        ("value.after.nope == 1", "a field that does not exist"),
        ("value.after.level + 9223372036854775807 > 1", "OverflowError"),
        ("value.after", "neither true nor false"),
    ],
)
def test_an_expression_that_fails_shows_no_values(condition: str, reason: str) -> None:
    with pytest.raises(TransformError, match=reason) as caught:
        keeps(condition, record())
    assert "Ann" not in str(caught.value)
    assert " 7" not in str(caught.value)


def test_a_text_may_look_like_a_pattern() -> None:
    assert not keeps("""topic == "matches('(')" """, record())


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("value.op == 'u' ? 'updates' : null", "updates"),
        ("value.op == 'd' ? 'deletes' : null", "srv.shop.t"),
        ("topic + '.' + value.op", "srv.shop.t.u"),
    ],
)
def test_a_router_sets_the_topic(text: str, topic: str) -> None:
    router = ContentBasedRouter({"language": "cel", "topic.expression": text})
    routed = router.apply(record())
    assert routed is not None
    assert routed.topic == topic
    assert routed.value == record().value


def test_a_topic_is_a_text() -> None:
    router = ContentBasedRouter({"language": "cel", "topic.expression": "value.after.id"})
    with pytest.raises(TransformError, match="not a text"):
        router.apply(record())


GROOVY, JAVASCRIPT = "jsr223.groovy", "jsr223.graal.js"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (GROOVY, "value.op == 'u' && value.before.id == 2", True),
        (GROOVY, "value.get('op') == 'u' && value.get('before').get('id') == 2", True),
        (GROOVY, 'return value.op != "d";', True),
        (GROOVY, "value.after.level > 5L", True),
        (GROOVY, "value.before.level > 5", False),  # it is null
        (GROOVY, "value.before.level < 5", True),  # so a Groovy null is less
        (GROOVY, "5 > value.before.level", True),
        (JAVASCRIPT, "value.before.level < 5", True),  # null is 0
        (JAVASCRIPT, "value.before.level < -5", False),
        (GROOVY, "value?.nothing?.x == null", None),
        (GROOVY, "headers.other == null", True),
        (GROOVY, "headers.kind.value == 1 && topic.startsWith('srv')", True),
        (GROOVY, "headers.other?.value == null", True),
        (GROOVY, "topic ==~ /srv\\.(shop|x)\\..*/", True),
        (GROOVY, "topic.matches('shop')", False),  # Java fits the whole text
        (GROOVY, "!(value.op in ['c', 'r'])", True),
        (GROOVY, "'t-' + value.after.id == 't-2'", True),
        (GROOVY, "value.after.name.size() == 3", True),
        (GROOVY, "(value.op == 'd' ? 1 : value.op == 'u' ? 2 : 3) == 2", True),
        (GROOVY, "value.after.id % 2 == 0 && -1 < value.after.id", True),
        (JAVASCRIPT, "value.op === 'u' && topic.includes('shop')", True),
        (JAVASCRIPT, "value.nothing == null && value.after.nothing !== 1", True),
        (JAVASCRIPT, "value.after.nothing == value.after.id || key.nothing == 2", False),
        (JAVASCRIPT, "value.after !== undefined && value.after.name.length == 3", True),
        (GROOVY, "valueSchema.name().endsWith('Envelope')", True),
    ],
)
def test_the_usual_expressions_are_translated(
    language: str, text: str, expected: bool | None
) -> None:
    event = record(before=row(level=None))
    if expected is None:
        with pytest.raises(TransformError):
            keeps(text, event, language)
    else:
        assert keeps(text, event, language) is expected


@pytest.mark.parametrize(
    ("language", "text", "reason"),
    [
        (GROOVY, "value.op = 'u'", "is not understood"),
        (GROOVY, "def x = 1; x == 1", "is not understood"),
        (GROOVY, "value.after.name.toLowerCase() == 'x'", "The method toLowerCase"),
        (GROOVY, '"t-${value.op}" == topic', "single quotes"),
        (GROOVY, "value.op === 'u'", "stands where"),
        (GROOVY, "value.op == 'd", "is not understood"),
        (GROOVY, "value.op == 'a' &&", "'the end' is not understood"),
        (GROOVY, "operation != 'd'", "'operation' is not understood; the variables are"),
        (GROOVY, "(new groovy.json.JsonSlurper()).parseText(value.after).x == 1", "'new'"),
        (GROOVY, "java.lang.System.exit(1)", "'java' is not understood"),
        (GROOVY, "'x'.execute()", "The method execute"),
        (JAVASCRIPT, "value.op in ['c', 'r']", "stands where"),
        (JAVASCRIPT, "topic == `${value.op}`", "holds a"),
        ("cel", "value.op = 'u'", "is not an expression in CEL"),
        ("cel", "operation != 'd'", "Unknown variable operation; available: "),
        ("cel", "topic.matches('a(?=b)') || topic == 'x'", "look-ahead"),
        ("cel", 'topic.matches(r"[\\d")', "unclosed character class"),
        (GROOVY, "topic.matches('a(?!b)')", "look-ahead"),
        ("cel", "topic.upperAscii() == 'X'", "CEL has no function upperAscii"),
        ("jsr223.jython", "True", "must be 'cel', 'jsr223.groovy' or 'jsr223.graal.js'"),
        ("wasm.chicory", "file:x", "must be 'cel'"),
    ],
)
def test_other_expressions_are_refused(language: str, text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as caught:
        ConditionFilter({"language": language, "condition": text})
    if language in (GROOVY, JAVASCRIPT):
        assert "language=cel" in str(caught.value)


@pytest.mark.parametrize(
    ("language", "text", "rewritten"),
    [
        (GROOVY, "topic =~ /shop/ && value.op == 'u'", "topic.matches('shop') && value.op == 'u'"),
        (GROOVY, "value.after.name.equalsIgnoreCase('a.b')", "matches('(?i)^a\\\\.b$')"),
        (GROOVY, 'topic == "${value.source.db}.t"', "topic == string(value.source.db) + '.t'"),
        (GROOVY, '"t-$value.op" == topic', "'t-' + string(value.op) == topic"),
        (JAVASCRIPT, "topic == `${value.op}-t`", "topic == string(value.op) + '-t'"),
    ],
)
def test_a_refusal_shows_the_expression_in_cel(language: str, text: str, rewritten: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ConditionFilter({"language": language, "condition": text})
    cel = str(caught.value).partition("language=cel: condition=")[2]
    assert rewritten in cel
    ConditionFilter({"language": "cel", "condition": cel})


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (GROOVY, "['c', 'u'].contains(value.op)"),
        (JAVASCRIPT, "['c', 'u'].includes(value.op)"),
        (GROOVY, "!value.after.name.isEmpty()"),
    ],
)
def test_lists_and_empty_texts(language: str, text: str) -> None:
    assert keeps(text, record("u"), language)


@pytest.mark.parametrize("missing", ["language", "condition"])
def test_both_settings_are_required(missing: str) -> None:
    config = {"language": "cel", "condition": "true"}
    del config[missing]
    with pytest.raises(ConfigError, match=f"The '{missing}' value is invalid"):
        ConditionFilter(config)


def test_expressions_of_the_documentation_read_the_same() -> None:
    assert translate("value.get('op') == 'd'", GROOVY) == "value['op'] == 'd'"
    translated = translate("value.after.id > 5", GROOVY)
    assert translated == "(value.after.id != null && value.after.id > 5)"
    assert translate("'t-' + value.after.id", GROOVY) == (
        "'t-' + (value.after.id == null ? 'null' : value.after.id == true ? 'true' : "
        "value.after.id == false ? 'false' : string(value.after.id))"
    )


def test_only_members_that_an_expression_names_are_read() -> None:
    unreadable = record()
    unreadable.value = {**unreadable.value, "source": object()}
    assert CelExpression("value.op == 'u'").evaluate(unreadable) is True
    with pytest.raises(TransformError, match="ValueError"):
        CelExpression("size(value) > 1").evaluate(unreadable)
