"""Names of topics."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.tables import TableId
from connector.debezium.topics import TopicNaming, faults, sanitize, topic_naming


def test_topics_are_named_for_prefix_database_and_table() -> None:
    naming = topic_naming({"topic.prefix": "srv"})
    assert naming.data_change(TableId("shop", "orders")) == "srv.shop.orders"
    assert naming.schema_change() == "srv"
    assert naming.transactions() == "srv.transaction"
    assert naming.heartbeat() == "__debezium-heartbeat.srv"


def test_names_follow_the_configuration() -> None:
    naming = topic_naming(
        {
            "topic.prefix": "srv",
            "topic.delimiter": "-",
            "topic.transaction": "tx",
            "topic.heartbeat.prefix": "beat",
            "heartbeat.topics.prefix": "old",
        }
    )
    assert naming.data_change(TableId("shop", "orders")) == "srv-shop-orders"
    assert naming.transactions() == "srv-tx"
    assert naming.heartbeat() == "beat-srv"


def test_the_old_key_of_the_heartbeat_prefix_still_works() -> None:
    naming = topic_naming({"topic.prefix": "srv", "heartbeat.topics.prefix": "old"})
    assert naming.heartbeat() == "old.srv"


def test_a_heartbeat_topic_may_have_a_name_of_its_own() -> None:
    naming = topic_naming({"topic.prefix": "srv", "topic.heartbeat.name": "beats"})
    assert naming.heartbeat() == "beats"


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("srv.shop.orders-2_x", "srv.shop.orders-2_x"),
        ("srv.dätä base.a$b", "srv.d_t__base.a_b"),
        ("x" * 300, "x" * 249),
        (".", "_"),
        ("..", "__"),
        ("...", "..."),
    ],
)
def test_characters_that_kafka_does_not_take_become_underscores(name: str, valid: str) -> None:
    assert sanitize(name) == valid


@given(st.text(min_size=1, max_size=300))
def test_every_name_becomes_one_that_kafka_takes_and_stays_so(name: str) -> None:
    valid = sanitize(name)
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,249}", valid)
    assert valid not in (".", "..")
    assert sanitize(valid) == valid


def test_a_blank_part_is_left_out() -> None:
    assert TopicNaming("srv").data_change(TableId(" ", "orders")) == "srv.orders"


REGEX = {
    "topic.prefix": "srv",
    "topic.naming.strategy": "io.debezium.schema.DefaultRegexTopicNamingStrategy",
    "topic.regex": r"(.*)_(\d+)",
    "topic.replacement": "$1",
}


def test_topics_are_routed_and_keys_name_the_table() -> None:
    naming = topic_naming(REGEX)
    table = TableId("shop", "orders_7")
    assert naming.data_change(table) == "srv.shop.orders"
    assert naming.data_change(TableId("shop", "other")) == "srv.shop.other"
    assert naming.key_field == "__dbz__physicalTableIdentifier"
    assert naming.key_value(table) == "srv.shop.orders_7"


def test_the_table_in_the_key_is_replaced_or_left_out() -> None:
    own = {"topic.key.field.regex": r".*_(\d+)", "topic.key.field.replacement": "no. $1"}
    assert topic_naming(REGEX | own).key_value(TableId("shop", "orders_7")) == "no. 7"
    assert topic_naming(REGEX | {"topic.key.enforce.uniqueness": "false"}).key_field is None


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"topic.regex": ""}, "topic.regex"),
        ({"topic.replacement": ""}, "topic.replacement"),
        ({"topic.replacement": "$9"}, "topic.replacement"),
        ({"topic.key.field.regex": "x"}, "topic.key.field.replacement"),
    ],
)
def test_faults_of_the_naming(changed: dict[str, str], named: str) -> None:
    assert named in faults(REGEX | changed)["topic.naming.strategy"]


def test_strategies_without_database_and_with_escapes() -> None:
    strategy = "io.debezium.schema.SchemaUnicodeTopicNamingStrategy"
    naming = topic_naming({"topic.prefix": "srv", "topic.naming.strategy": strategy})
    assert naming.data_change(TableId("shop", "tåble_1")) == "srv.t_u00e5ble_u005f1"
