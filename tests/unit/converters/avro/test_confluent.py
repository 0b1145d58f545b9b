"""Confluent's converter: requests to the registry, the wire format, and what goes wrong."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from connector.converters.avro.confluent import AvroConverter
from connector.converters.avro.schemas import AvroDialect, AvroSchemaWriter
from connector.data.schema import BYTES, FLOAT64, INT32, STRING, Schema, array, map_of, struct
from connector.data.semantic import decimal
from connector.errors import (
    AccessDeniedError,
    ConfigError,
    ConversionError,
    RegistryUnavailableError,
)
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry

ROW = struct("server.shop.Value", ("id", INT32), ("name", STRING.as_optional()))
VALUE = {"id": 1, "name": "a"}
WRITTEN = bytes.fromhex("00 00000007 02 02 02 61")
PACKAGE = "io.confluent.kafka.serializers.subject."
SERIALIZERS = "io.confluent.kafka.serializers.schema.id."


@pytest.fixture
def registry() -> Iterator[ScriptedRegistry]:
    with scripted_registry() as served:
        yield served


def converter(registry: ScriptedRegistry, **options: str) -> AvroConverter:
    below = {key.replace("_", "."): text for key, text in options.items()}
    return AvroConverter({"schema.registry.url": registry.url, "converter.type": "value", **below})


def test_a_schema_is_registered_once(registry: ScriptedRegistry) -> None:
    avro = converter(registry)
    for _ in range(3):
        assert avro.from_connect("t", ROW, VALUE) == WRITTEN
    assert avro.from_connect("t", ROW.with_changes(), VALUE) == WRITTEN
    [(method, path, _, body)] = registry.requests
    assert (method, path) == ("POST", "/subjects/t-value/versions?normalize=false")
    schema = json.loads(json.loads(body)["schema"])
    assert schema["namespace"] == "server.shop"


def test_each_topic_has_its_subject(registry: ScriptedRegistry) -> None:
    avro = converter(registry, normalize_schemas="true")
    avro.from_connect("a", ROW, VALUE)
    avro.from_connect("b/c", ROW, VALUE)
    paths = [path for _, path, _, _ in registry.requests]
    assert paths == [
        "/subjects/a-value/versions?normalize=true",
        "/subjects/b%2Fc-value/versions?normalize=true",
    ]


@pytest.mark.parametrize(
    ("strategy", "subject"),
    [
        ("TopicNameStrategy", "t-value"),
        ("RecordNameStrategy", "server.shop.Value"),
        ("TopicRecordNameStrategy", "t-server.shop.Value"),
    ],
)
def test_subject_name_strategies(registry: ScriptedRegistry, strategy: str, subject: str) -> None:
    avro = converter(registry, value_subject_name_strategy=PACKAGE + strategy)
    avro.from_connect("t", ROW, VALUE)
    assert registry.requests[0][1] == f"/subjects/{subject}/versions?normalize=false"
    if strategy != "TopicNameStrategy":
        with pytest.raises(ConversionError, match="must only be a record"):
            avro.from_connect("t", STRING, "x")


def test_keys_have_subjects_of_their_own(registry: ScriptedRegistry) -> None:
    avro = AvroConverter({"schema.registry.url": registry.url, "converter.type": "key"})
    assert avro.from_connect("t", INT32, 1) == bytes.fromhex("00 00000007 02")
    assert avro.from_connect("t", None, None) is None
    assert registry.requests[0][1].startswith("/subjects/t-key/")


def test_nulls_ask_no_registry(registry: ScriptedRegistry) -> None:
    avro = converter(registry)
    assert avro.from_connect("t", None, None) is None
    assert avro.from_connect("t", ROW.as_optional(), None) is None
    with pytest.raises(ConversionError, match="null value for non-optional"):
        avro.from_connect("t", ROW, None)
    with pytest.raises(ConversionError, match="without schema"):
        avro.from_connect("t", None, {"a": 1})
    assert not registry.requests


def test_bytes_alone_have_no_length(registry: ScriptedRegistry) -> None:
    avro = converter(registry)
    assert avro.from_connect("t", BYTES, b"ab") == bytes.fromhex("00 00000007 6162")
    assert avro.from_connect("t", BYTES.as_optional(), b"ab") == bytes.fromhex(
        "00 00000007 02 04 6162"
    )


def test_a_decimal_alone_has_no_length(registry: ScriptedRegistry) -> None:
    avro = converter(registry)
    price = decimal(2, 6)
    assert avro.from_connect("t", price, 128) == bytes.fromhex("00 00000007 0080")
    assert avro.from_connect("t", price, 0) == bytes.fromhex("00 00000007 00")
    optional = avro.from_connect("t", price.as_optional(), 128)
    assert optional == bytes.fromhex("00 00000007 02 04 0080")


def test_defaults_of_arrays_and_maps(registry: ScriptedRegistry) -> None:
    numbers = array(INT32).with_changes(default=[1, 2])
    pairs = map_of(STRING, INT32).with_changes(default={"a": 1})
    row = struct("server.shop.Value", ("numbers", numbers), ("pairs", pairs))
    avro = converter(registry)
    written = bytes.fromhex("00 00000007 04 02 04 00 02 02 61 02 00")
    assert avro.from_connect("t", row, {"numbers": None, "pairs": None}) == written


def test_schemas_that_must_exist(registry: ScriptedRegistry) -> None:
    avro = converter(registry, auto_register_schemas="false")
    assert avro.from_connect("t", ROW, VALUE) == WRITTEN
    assert registry.requests[0][1] == "/subjects/t-value?normalize=false"
    registry.answers.append((404, {"error_code": 40401, "message": "Subject not found"}))
    with pytest.raises(ConversionError, match="not registered: status 404, Subject not found"):
        avro.from_connect("u", ROW, VALUE)


_NAME = {"name": "name", "type": ["null", "string"]}


def _latest(schema: Any) -> tuple[int, Any]:
    return 200, {"id": 7, "version": 3, "schema": json.dumps(schema)}


def test_the_latest_version_needs_the_same_fields(registry: ScriptedRegistry) -> None:
    fields = [
        {"name": "id", "type": "int", "doc": "other properties do not matter"},
        {"name": "name", "type": ["null", "string"]},
    ]
    schema = {"type": "record", "name": "server.shop.Value", "fields": fields}
    avro = converter(registry, auto_register_schemas="false", use_latest_version="true")
    registry.answers.append(_latest(schema))
    assert avro.from_connect("t", ROW, VALUE) == WRITTEN
    assert registry.requests[0][:2] == ("GET", "/subjects/t-value/versions/latest")
    registry.answers.append(_latest({**schema, "fields": fields[:1]}))
    with pytest.raises(ConversionError, match="does not have the fields"):
        avro.from_connect("u", ROW, VALUE)


@pytest.mark.parametrize(
    "option", [{"use_latest_version": "true"}, {"use_schema_id": "7"}], ids=["latest", "id"]
)
def test_a_registered_schema_may_refer_to_others(
    registry: ScriptedRegistry, option: dict[str, str]
) -> None:
    envelope = struct("s.Envelope", ("after", ROW.as_optional()))
    row = {
        "type": "record",
        "name": "server.shop.Value",
        "fields": [{"name": "id", "type": "int"}],
    }
    schema = {
        "type": "record",
        "name": "s.Envelope",
        "fields": [{"name": "after", "type": ["null", "server.shop.Value"]}],
    }
    reference = {"name": "server.shop.Value", "subject": "rows/a", "version": 2}
    avro = converter(registry, auto_register_schemas="false", **option)
    status, found = _latest(schema)
    registry.answers.append((status, {**found, "references": [reference]}))
    registry.answers.append(_latest({**row, "fields": [*row["fields"], _NAME]}))
    assert avro.from_connect("t", envelope, {"after": VALUE}) == WRITTEN[:5] + b"\2" + WRITTEN[5:]
    assert registry.requests[1][:2] == ("GET", "/subjects/rows%2Fa/versions/2")
    registry.answers.append((status, {**found, "references": [reference]}))
    registry.answers.append(_latest(row))
    with pytest.raises(ConversionError, match="does not have the fields"):
        avro.from_connect("u", envelope, {"after": VALUE})


RULE = {"name": "encrypt card", "mode": "WRITEREAD", "type": "ENCRYPT"}


@pytest.mark.parametrize(
    "option",
    [
        {"auto_register_schemas": "true"},
        {"auto_register_schemas": "false"},
        {"auto_register_schemas": "false", "use_latest_version": "true"},
        {"auto_register_schemas": "false", "use_schema_id": "7"},
    ],
)
@pytest.mark.parametrize("phase", ["domainRules", "encodingRules"])
def test_a_schema_with_rules_for_writers_is_refused(
    registry: ScriptedRegistry, option: dict[str, str], phase: str
) -> None:
    avro = converter(registry, **option)
    schema = json.loads(AvroSchemaWriter(AvroDialect()).text(ROW))
    status, found = _latest(schema)
    registry.answers.append((status, {**found, "ruleSet": {phase: [RULE]}}))
    with pytest.raises(ConversionError, match=r"has rules for writers.*: encrypt card"):
        avro.from_connect("t", ROW, VALUE)
    others = [{**RULE, "mode": "READ"}, {**RULE, "disabled": True}]
    rules = {phase: others, "migrationRules": [RULE]}
    registry.answers.append((status, {**found, "ruleSet": rules}))
    assert avro.from_connect("t", ROW, VALUE) == WRITTEN


@pytest.mark.parametrize(
    "rules", [["x"], "x", {"domainRules": 7}, {"domainRules": ["x"]}, {"encodingRules": [None]}]
)
def test_rules_that_are_not_understood_are_refused(registry: ScriptedRegistry, rules: Any) -> None:
    avro = converter(registry, auto_register_schemas="false")
    status, found = _latest(json.loads(AvroSchemaWriter(AvroDialect()).text(ROW)))
    registry.answers.append((status, {**found, "ruleSet": rules}))
    with pytest.raises(ConversionError, match="has rules that are not understood"):
        avro.from_connect("t", ROW, VALUE)


def test_an_id_is_read_in_the_context_of_its_subject(registry: ScriptedRegistry) -> None:
    schema = json.loads(AvroSchemaWriter(AvroDialect()).text(ROW))
    registry.answers.append(_latest(schema))
    avro = converter(registry, auto_register_schemas="false", use_schema_id="7")
    assert avro.from_connect("a/b", ROW, VALUE) == WRITTEN
    assert registry.requests[0][1] == "/schemas/ids/7?subject=a%2Fb-value"


@pytest.mark.parametrize("key", ["latest_compatibility_strict", "id_compatibility_strict"])
def test_other_fields_are_never_accepted(registry: ScriptedRegistry, key: str) -> None:
    converter(registry, **{key: "true"})
    with pytest.raises(ConfigError, match="with the fields of the table"):
        converter(registry, **{key: "false"})


@pytest.mark.parametrize("status", [408, 425, 429, 500, 501, 502, 503, 504, 520, 599])
def test_errors_that_may_pass(registry: ScriptedRegistry, status: int) -> None:
    avro = converter(registry)
    registry.answers.append((status, b"<html>secret</html>"))
    with pytest.raises(RegistryUnavailableError, match=f"answers with status {status}"):
        avro.from_connect("t", ROW, VALUE)
    assert avro.from_connect("t", ROW, VALUE) == WRITTEN


@pytest.mark.parametrize(
    ("status", "content", "error", "message"),
    [
        (409, {"message": "too new"}, ConversionError, "incompatible with an earlier version"),
        (422, {"message": "bad"}, ConversionError, "refuses the schema of subject t-value"),
        (422, b"not json", ConversionError, "status 422, no reason"),
        (404, {"message": "none"}, ConversionError, "not registered: status 404, none"),
        (200, {"version": 1}, ConversionError, "answers without an id"),
        (200, [1], ConversionError, "answers without an id"),
        (401, {"message": "who?"}, AccessDeniedError, "refuses the login"),
        (403, b"", AccessDeniedError, "refuses the login"),
        (407, b"", AccessDeniedError, "refuses the login"),
    ],
)
def test_errors_that_stay(
    registry: ScriptedRegistry, status: int, content: Any, error: type[Exception], message: str
) -> None:
    registry.answers.append((status, content))
    with pytest.raises(error, match=message):
        converter(registry).from_connect("t", ROW, VALUE)


def test_other_addresses_are_tried(registry: ScriptedRegistry) -> None:
    avro = AvroConverter({"schema.registry.url": f"http://127.0.0.1:1,{registry.url}"})
    assert avro.from_connect("t", ROW, VALUE) == WRITTEN


def test_an_answer_that_takes_too_long() -> None:
    with scripted_registry() as registry:
        registry._server.shutdown()  # the connection is accepted and never answered
        avro = converter(registry, http_read_timeout_ms="50")
        with pytest.raises(RegistryUnavailableError, match="does not answer: ReadTimeout"):
            avro.from_connect("t", ROW, VALUE)


def _authorization(registry: ScriptedRegistry) -> str:
    return registry.requests[-1][2].get("Authorization", "")


def test_logins(registry: ScriptedRegistry) -> None:
    basic = "Basic " + b64encode(b"me:p:w").decode()
    avro = AvroConverter({"schema.registry.url": f"http://me:p%3Aw@{registry.address}"})
    avro.from_connect("t", ROW, VALUE)
    assert _authorization(registry) == basic
    login = {"basic_auth_credentials_source": "USER_INFO", "basic_auth_user_info": "me:p:w"}
    converter(registry, **login).from_connect("t", ROW, VALUE)
    assert _authorization(registry) == basic
    converter(registry, bearer_auth_token="tok").from_connect("t", ROW, VALUE)
    assert _authorization(registry) == "Bearer tok"


def test_errors_show_no_login() -> None:
    avro = AvroConverter({"schema.registry.url": "http://me:secret@127.0.0.1:1/path"})
    with pytest.raises(RegistryUnavailableError) as caught:
        avro.from_connect("t", ROW, VALUE)
    assert "secret" not in str(caught.value)
    with pytest.raises(ConfigError) as refused:
        AvroConverter({"schema.registry.url": "me:secret@registry"})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"schema.registry.url": ""},
        {"schema.registry.url": "http://r", "value.subject.name.strategy": "com.example.Mine"},
        {
            "schema.registry.url": "http://r",
            "value.schema.id.serializer": f"{SERIALIZERS}HeaderSchemaIdSerializer",
        },
        {"schema.registry.url": "http://r", "basic.auth.credentials.source": "SASL_INHERIT"},
        {"schema.registry.url": "http://r", "basic.auth.credentials.source": "USER_INFO"},
        {"schema.registry.url": "http://r", "bearer.auth.credentials.source": "OAUTHBEARER"},
        {"schema.registry.url": "https://r", "schema.registry.ssl.truststore.location": "/nope"},
    ],
)
def test_settings_that_are_refused(config: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        AvroConverter(config)


def test_the_number_of_kept_schemas_is_bounded(registry: ScriptedRegistry) -> None:
    avro = converter(registry, schemas_cache_config="2")
    schemas: list[Schema] = [struct(f"s{number}", ("id", INT32)) for number in range(5)]
    for schema in (*schemas, *schemas):
        avro.from_connect("t", schema, {"id": 1})
    assert len(avro._ready) == 2
    assert len(registry.requests) == 5  # a schema that is compiled again has its id still


def test_schemas_that_differ_in_a_default_only(registry: ScriptedRegistry) -> None:
    avro = converter(registry)
    for default in (0.0, -0.0, float("nan"), float("nan"), 0.0):
        number = FLOAT64.with_changes(optional=True, default=default)
        avro.from_connect("t", struct("s", ("a", number)), {"a": 1.0})
    schemas = [json.loads(json.loads(body)["schema"]) for _, _, _, body in registry.requests]
    assert [repr(schema["fields"][0]["default"]) for schema in schemas] == ["0.0", "-0.0", "'NaN'"]
