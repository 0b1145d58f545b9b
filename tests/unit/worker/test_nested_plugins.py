"""The report on what is nested in a configuration: plugins, topic groups, client settings."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from connector.errors import ConfigError
from connector.plugin_table import PluginRow, PluginTable
from connector.worker.claims import Claims
from connector.worker.config_providers import create_providers
from connector.worker.herder import Herder
from connector.worker.requests import Stages
from connector.worker.validation import ConnectorValidator
from tests.fixtures.idle_connector import CLASS, IDLE_ROWS
from tests.fixtures.idle_worker import WorkerLogs, worker_config
from tests.fixtures.validation import BASE, OWN, faults, keys, of, validate


def test_transforms_and_predicates_bring_their_keys(herder: Herder) -> None:
    infos = validate(
        herder,
        transforms="t",
        transforms__t__type="Word$Value",
        transforms__t__word="x",
        transforms__t__predicate="p",
        transforms__t__negate="true",
        predicates="p",
        predicates__p__type="Word",
        predicates__p__word="y",
    )
    assert faults(infos) == {}
    assert keys(infos)[len(BASE) : -len(OWN)] == [
        "transforms.t.type",
        "transforms.t.plugin.version",
        "transforms.t.word",
        "transforms.t.negate",
        "transforms.t.predicate",
        "predicates.p.type",
        "predicates.p.plugin.version",
        "predicates.p.word",
    ]
    found = of(infos, "transforms.t.word")
    assert found.definition is not None
    assert (found.definition.group, found.definition.order_in_group) == ("Transforms: t", 2)
    assert of(infos, "predicates.p.type").value.value == "org.example.WordPredicate"
    assert "Predicates: p" in infos.groups


@pytest.mark.parametrize(("required", "met"), [("latest", True), ("[2,3)", True), ("[9,)", False)])
def test_a_required_version_of_a_transform(herder: Herder, required: str, met: bool) -> None:
    """Kafka Connect does not start another version either (ConnectorConfig.EnrichablePlugin)."""
    infos = validate(
        herder,
        transforms="t",
        transforms__t__type="Word$Value",
        transforms__t__word="x",
        transforms__t__plugin__version=required,
    )
    text = (
        "Plugin org.example.Word$Value not found that matches the version range [9,), "
        "available versions: [2.0]"
    )
    names = ("transforms.t.type", "transforms.t.plugin.version")
    assert faults(infos) == ({} if met else {name: [text] for name in names})


def test_faults_of_transforms(herder: Herder) -> None:
    infos = validate(
        herder,
        transforms="none,gone,lacking,negated,refused,lost",
        transforms__gone__type="NoSuch",
        transforms__lacking__type="Word$Key",
        transforms__negated__type="Word$Key",
        transforms__negated__word="x",
        transforms__negated__negate="true",
        transforms__refused__type="Word$Key",
        transforms__refused__word="forbidden",
        transforms__lost__type="Word$Key",
        transforms__lost__word="x",
        transforms__lost__predicate="nowhere",
    )
    found = faults(infos)
    gone = found.pop("transforms.gone.type")
    assert gone[0].startswith(
        "Invalid value NoSuch for configuration transforms.gone.type: Class NoSuch could not be "
        "found. Available here: "
    )
    missing = 'Missing required configuration "{}" which has no default value.'
    assert found == {
        "transforms.none.type": [missing.format("transforms.none.type")],
        "transforms.lacking.word": [missing.format("transforms.lacking.word")],
        "transforms.negated.type": [
            (
                "Config 'transforms.negated.negate' was provided but there is no config "
                "'transforms.negated.predicate' defining a predicate to be negated."
            )
        ],
        "transforms.refused.type": ["The word is forbidden."],
        "transforms.lost.predicate": [
            (
                "Config 'transforms.lost.predicate' refers to a predicate 'nowhere' that "
                "'predicates' "
                "does not list."
            )
        ],
    }
    assert infos.error_count == 6


def test_an_ambiguous_short_name() -> None:
    table = PluginTable([*IDLE_ROWS, PluginRow("source", "org.other.Idle", "1", "x:y")])
    validator = ConnectorValidator(worker_config(), table, create_providers({}, {}), Claims())
    with pytest.raises(
        ConfigError, match=r"More than one connector matches alias Idle\. Please use"
    ):
        validator.validate({"connector.class": "Idle"}, Stages())


def test_topic_creation_groups(herder: Herder) -> None:
    infos = validate(
        herder,
        topic__creation__groups="a",
        topic__creation__default__partitions="0",
        topic__creation__default__cleanup__policy="compact",
        topic__creation__a__include="x[",
        topic__creation__a__replication__factor="-2",
    )
    found = faults(infos)
    assert found.pop("topic.creation.a.include")[0].startswith(
        "Invalid value x[ for configuration topic.creation.a.include: Syntax error in regular "
        "expression: "
    )
    assert found == {
        "topic.creation.default.replication.factor": [
            (
                'Missing required configuration "topic.creation.default.replication.factor" '
                "which has "
                "no default value."
            )
        ],
        "topic.creation.default.partitions": [
            (
                "Invalid value 0 for configuration topic.creation.default.partitions: Number of "
                "partitions must be positive, or -1 to use the broker's default"
            )
        ],
        "topic.creation.a.replication.factor": [
            (
                "Invalid value -2 for configuration topic.creation.a.replication.factor: "
                "Replication "
                "factor must be positive and not larger than the number of brokers in the Kafka "
                "cluster, or -1 to use the broker's default"
            )
        ],
    }
    assert "topic.creation.default.include" in keys(infos)


def test_client_overrides_come_with_their_definitions(herder: Herder) -> None:
    infos = validate(
        herder,
        producer__override__linger__ms="abc",
        producer__override__acks="all",
        producer__override__no__such="1",
    )
    assert keys(infos)[0] == "producer.override.no.such"
    assert infos.configs[0].definition is None
    found = faults(infos)
    assert found == {
        "producer.override.linger.ms": [
            "Invalid value abc for configuration linger.ms: Not a number of type LONG"
        ]
    }
    acks = of(infos, "producer.override.acks")
    assert acks.definition is not None
    assert (acks.definition.display_name, acks.definition.group, acks.value.value) == (
        "acks",
        None,
        "all",
    )


def test_an_unknown_client_setting_is_an_error(herder: Herder) -> None:
    infos = validate(herder, producer__override__no__such="1")
    (fault,) = faults(infos)["producer.override.no.such"]
    assert fault.startswith("Invalid client setting no.such: ")
    assert faults(validate(herder, producer__override__queue__buffering__max__kbytes="1024")) == {}


@pytest.mark.parametrize("kind", ["producer", "consumer", "admin"])
def test_native_code_from_a_request_is_refused(herder: Herder, kind: str) -> None:
    key = f"{kind}.override.plugin.library.paths"
    (fault,) = faults(validate(herder, **{key.replace(".", "__"): "/tmp/evil.so"}))[key]
    assert fault == (
        "Client setting plugin.library.paths is not allowed: it makes the Kafka client load "
        "native code or run a command."
    )


def test_validation_opens_no_kafka_client(herder: Herder) -> None:
    before = _client_threads()
    infos = validate(
        herder, producer__override__batch__num__messages="9", consumer__override__group__id="g"
    )
    assert faults(infos) == {}
    assert _client_threads() <= before


def _client_threads() -> set[str]:
    """Return the ids of librdkafka's threads, which each client has."""
    found = set()
    for entry in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            if (entry / "comm").read_text().startswith("rdk:"):
                found.add(entry.name)
    return found


@pytest.mark.parametrize(
    ("policy", "key", "allowed"),
    [
        ("None", "acks", False),
        ("Principal", "acks", False),
        ("Principal", "sasl.mechanism", True),
        ("Allowlist", "acks", True),
        ("Allowlist", "linger.ms", False),
        ("All", "linger.ms", True),
    ],
)
def test_the_override_policy(memory: WorkerLogs, policy: str, key: str, allowed: bool) -> None:
    herder = memory.herder(
        {
            "connector.client.config.override.policy": policy,
            "connector.client.config.override.allowlist": "acks",
        }
    )
    value = "PLAIN" if key == "sasl.mechanism" else "1"
    config = {"name": "c", "connector.class": CLASS, f"producer.override.{key}": value}
    expected = (
        []
        if allowed
        else [
            (
                f"The '{policy}' policy does not allow '{key}' to be overridden in the connector "
                "configuration."
            )
        ]
    )
    assert faults(herder.validate(config)).get(f"producer.override.{key}", []) == expected


def test_a_converter_that_is_not_here(herder: Herder) -> None:
    infos = validate(herder, value__converter="io.confluent.connect.avro.NoSuchConverter")
    (fault,) = faults(infos)["value.converter"]
    assert fault.startswith(
        "Invalid value io.confluent.connect.avro.NoSuchConverter for configuration "
        "value.converter: Class io.confluent.connect.avro.NoSuchConverter could not be found. "
        "Available here: "
    )
    assert "org.apache.kafka.connect.storage.StringConverter" in fault


def test_the_keys_of_a_converter_the_connector_names(herder: Herder) -> None:
    infos = validate(
        herder, value__converter="JsonConverter", value__converter__schemas__enable="maybe"
    )
    found = of(infos, "value.converter.schemas.enable")
    assert found.value.errors == [
        (
            "Invalid value maybe for configuration schemas.enable: Expected value to be either "
            "true "
            "or false"
        )
    ]
    assert of(infos, "value.converter.converter.type").value.value == "value"
    full = "org.apache.kafka.connect.json.JsonConverter"
    assert of(infos, "value.converter").value.value == full
    assert "key.converter.schemas.enable" not in keys(infos)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"serializer__type": "avro"}, "Cannot use 'application/json' data content type"),
        ({"data__serializer__type": "avro"}, "Need URL(s) for schema registry instances"),
        ({"metadata__source": "value,id:header"}, "The attribute type cannot be read"),
    ],
)
def test_settings_of_a_converter_that_do_not_fit_together(
    herder: Herder, settings: dict[str, str], reason: str
) -> None:
    own = {f"value__converter__{name}": text for name, text in settings.items()}
    converter = "io.debezium.converters.CloudEventsConverter"
    found = faults(validate(herder, value__converter=converter, **own))
    assert list(found) == ["value.converter"]
    assert reason in found["value.converter"][0]
