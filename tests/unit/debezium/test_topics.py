"""Names of topics."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.tables import TableId
from connector.debezium.topics import TopicNaming, sanitized, topic_naming


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
    assert sanitized(name) == valid


@given(st.text(min_size=1, max_size=300))
def test_every_name_becomes_one_that_kafka_takes_and_stays_so(name: str) -> None:
    valid = sanitized(name)
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,249}", valid)
    assert valid not in (".", "..")
    assert sanitized(valid) == valid


def test_a_blank_part_is_left_out() -> None:
    assert TopicNaming("srv").data_change(TableId(" ", "orders")) == "srv.orders"
