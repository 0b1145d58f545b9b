"""The keys of converters in the report on a configuration, as in Kafka Connect."""

from __future__ import annotations

import pytest

from connector.worker.herder import Herder
from tests.fixtures.validation import faults, keys, of, validate

JSON = "org.apache.kafka.connect.json.JsonConverter"
TYPE = "value.converter.converter.type"


def test_the_keys_have_the_order_of_kafka_connect(herder: Herder) -> None:
    """``ConfigDef.validate`` returns the values of a HashMap."""
    found = [key for key in keys(validate(herder, value__converter=JSON)) if "converter." in key]
    own = [key.removeprefix("value.converter.") for key in found if not key.endswith("version")]
    assert own == [
        "decimal.format",
        "converter.type",
        "schemas.cache.size",
        "replace.null.with.default",
        "schemas.enable",
        "schema.content",
    ]


def test_what_a_converter_is_for_may_be_said(herder: Herder) -> None:
    infos = validate(herder, value__converter=JSON, value__converter__converter__type="key")
    assert of(infos, TYPE).value.value == "key"
    assert faults(infos) == {}
    infos = validate(herder, value__converter=JSON, value__converter__converter__type="x")
    assert faults(infos) == {
        TYPE: [
            (
                "Invalid value x for configuration converter.type: String must be one of: key, "
                "value, header"
            )
        ]
    }


@pytest.mark.parametrize(("class_name", "number"), [("SimpleHeaderConverter", 0), (JSON, 1)])
def test_a_class_for_headers_alone_does_not_say_what_it_is_for(
    herder: Herder, class_name: str, number: int
) -> None:
    found = keys(validate(herder, header__converter=class_name))
    assert found.count("header.converter.converter.type") == number
