"""The report on a configuration."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from connector.errors import ConfigError
from connector.worker.herder import Herder
from tests.fixtures.idle_connector import CLASS
from tests.fixtures.validation import BASE, OWN, faults, keys, of, validate


def test_a_valid_configuration_lists_all_keys_in_order(herder: Herder) -> None:
    infos = validate(herder)
    assert (infos.name, infos.error_count) == (CLASS, 0)
    assert keys(infos) == BASE + OWN
    assert infos.groups == [
        "Common",
        "Transforms",
        "Predicates",
        "Error Handling",
        "Topic Creation",
        "Exactly Once Support",
        "offsets.topic",
        "Idle",
    ]


def test_a_definition_has_all_its_fields(herder: Herder) -> None:
    found = asdict(of(validate(herder), "tasks.max"))
    assert found["definition"].pop("documentation")
    assert found == {
        "definition": {
            "name": "tasks.max",
            "type": "INT",
            "required": False,
            "default_value": "1",
            "importance": "HIGH",
            "group": "Common",
            "order_in_group": 4,
            "order": 4,
            "width": "SHORT",
            "display_name": "Tasks max",
            "dependents": [],
        },
        "value": {
            "name": "tasks.max",
            "value": "1",
            "recommended_values": [],
            "errors": [],
            "visible": True,
        },
    }


def test_the_workers_converters_are_the_defaults(herder: Herder) -> None:
    found = of(validate(herder), "key.converter")
    json = "org.apache.kafka.connect.json.JsonConverter"
    assert found.definition is not None
    assert (found.definition.default_value, found.value.value) == (json, json)
    assert json in found.value.recommended_values
    assert of(validate(herder), "key.converter.plugin.version").value.value == "4.3.0"


@pytest.mark.parametrize("config", [{}, {"connector.class": ""}, {"connector.class": None}])
def test_without_a_class_there_is_nothing_to_validate(
    herder: Herder, config: dict[str, str | None]
) -> None:
    with pytest.raises(ConfigError, match=r"^Connector config contains no connector type$"):
        herder.validate({"password": "s3cret", **config})


def test_a_required_version_of_the_connector_that_cannot_be_read(herder: Herder) -> None:
    with pytest.raises(ConfigError, match=r"^Unbounded range: \[1$"):
        validate(herder, connector__plugin__version="[1")


def test_an_unknown_class_is_reported_with_the_available_ones(herder: Herder) -> None:
    with pytest.raises(ConfigError) as caught:
        herder.validate({"connector.class": "io.debezium.connector.postgresql.PostgresConnector"})
    text = str(caught.value)
    assert text.startswith(
        "Failed to find any class that implements Connector and which name matches "
        "io.debezium.connector.postgresql.PostgresConnector, available connectors are: "
    )
    assert "io.debezium.connector.mysql.MySqlConnector" in text


@pytest.mark.parametrize("alias", [CLASS, "IdleConnector", "Idle"])
def test_short_names_of_a_class(herder: Herder, alias: str) -> None:
    infos = herder.validate({"name": "c", "connector.class": alias})
    assert (infos.name, infos.error_count) == (alias, 0)


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("name", "", "Invalid value  for configuration name: String may not be empty"),
        (
            "name",
            "a\r\nb",
            (
                "Invalid value a\r\nb for configuration name: String may not contain control "
                "sequences "
                "but had the following ASCII chars: 13, 10"
            ),
        ),
        ("tasks.max", "0", "Invalid value 0 for configuration tasks.max: Value must be at least 1"),
        (
            "errors.retry.timeout",
            "9" * 19,
            (
                f"Invalid value {'9' * 19} for configuration errors.retry.timeout: Not a number of "
                "type LONG"
            ),
        ),
        (
            "errors.tolerance",
            "some",
            (
                "Invalid value some for configuration errors.tolerance: String must be one of: "
                "none, all"
            ),
        ),
        (
            "errors.log.enable",
            "yes",
            (
                "Invalid value yes for configuration errors.log.enable: Expected value to be "
                "either "
                "true or false"
            ),
        ),
        ("errors.log.enable", None, "Null value can not be supplied as the configuration value."),
        (
            "transforms",
            "a,b,a",
            "Invalid value [a, b, a] for configuration transforms: Duplicate alias provided.",
        ),
        (
            "topic.creation.groups",
            "a,a",
            (
                "Invalid value [a, a] for configuration topic.creation.groups: "
                "Duplicate alias provided."
            ),
        ),
        (
            "config.action.reload",
            "maybe",
            (
                "Invalid value maybe for configuration config.action.reload: String must be "
                "one of: "
                "none, restart"
            ),
        ),
        (
            "exactly.once.support",
            "required",
            "This worker does not have exactly-once source support enabled.",
        ),
        (
            "exactly.once.support",
            "foo",
            (
                "Invalid value foo for configuration exactly.once.support: String must be one of "
                "(case insensitive): REQUIRED, REQUESTED"
            ),
        ),
        (
            "transaction.boundary",
            "connector",
            (
                "The connector does not support connector-defined transaction boundaries with the "
                "given configuration. Please reconfigure it to use a different transaction "
                "boundary "
                "definition."
            ),
        ),
        (
            "transaction.boundary.interval.ms",
            "-1",
            (
                "Invalid value -1 for configuration transaction.boundary.interval.ms: Value "
                "must be "
                "at least 0"
            ),
        ),
        (
            "offsets.storage.topic",
            " ",
            "Invalid value  for configuration offsets.storage.topic: String must be non-empty",
        ),
        (
            "header.converter",
            "org.example.Word$Key",
            "Class class org.example.Word$Key does not implement the HeaderConverter interface",
        ),
        (
            "connector.plugin.version",
            "9",
            (
                f"Plugin {CLASS} not found that matches the version range [9,9], available "
                "versions: [1.0]"
            ),
        ),
        ("key.converter.plugin.version", "[1", "Unbounded range: [1"),
        ("limit", "0", "Invalid value 0 for configuration limit: Value must be at least 1"),
    ],
)
def test_one_fault(herder: Herder, key: str, value: str | None, fault: str) -> None:
    infos = herder.validate({"name": "c", "connector.class": CLASS, key: value})
    found = faults(infos)
    assert found.pop(key) == [fault]
    # names of transforms that are not configured are faults of their own
    assert all(name.startswith("transforms.") for name in found)


def test_without_a_name(herder: Herder) -> None:
    infos = herder.validate({"connector.class": CLASS})
    text = 'Missing required configuration "name" which has no default value.'
    assert faults(infos) == {"name": [text]}
    found = of(infos, "name")
    assert found.definition is not None
    assert found.definition.required
    assert found.value.value is None


def test_passwords_are_hidden(herder: Herder) -> None:
    found = of(validate(herder, password="s3cret"), "password")
    assert found.value.value == "[hidden]"


def test_nothing_that_a_provider_gave_is_shown(herder: Herder) -> None:
    infos = validate(
        herder,
        limit="${env:SECRET}",
        user="${env:USER}",
        password="${env:SECRET}",
        fault="login",
    )
    assert "s3cret-value" not in repr(infos)
    assert "alice" not in repr(infos)
    assert of(infos, "limit").value.value == "${env:SECRET}"
    assert of(infos, "password").value.value == "${env:SECRET}"
    assert faults(infos) == {
        key: [
            (
                f"Invalid value for configuration '{key}': the value resolved from the config "
                f"provider "
                "reference failed validation"
            )
        ]
        for key in ("limit", "user")
    }


def test_a_secret_within_the_fault_of_another_key(herder: Herder) -> None:
    infos = validate(herder, user="bob", password="${env:SECRET}", fault="login")
    assert faults(infos)["user"] == ["Access denied for bob with ${env:SECRET}"]


def test_a_connector_that_fails_to_validate_is_a_fault_not_an_error(herder: Herder) -> None:
    infos = validate(herder, fault="validate raises")
    assert infos.error_count == 1
    assert faults(infos) == {"limit": ["The connector failed to validate: ValueError: no luck"]}


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("${vault:db:password}", "the worker has no config provider 'vault' (config.providers)"),
        ("${env:MISSING}", "the config provider 'env' has no such value, or may not read it"),
    ],
)
def test_a_reference_that_stays_is_no_password(herder: Herder, reference: str, reason: str) -> None:
    infos = validate(herder, password=reference, unknown=reference)
    assert faults(infos) == {
        key: [f"Invalid value {reference} for configuration {key}: {reason}"]
        for key in ("password", "unknown")
    }
