"""Which topics get which settings."""

from __future__ import annotations

import pytest

from connector.errors import ConfigError
from connector.worker.topic_creation import parse_groups

DEFAULT = {
    "topic.creation.default.replication.factor": "3",
    "topic.creation.default.partitions": "-1",
}


def test_no_groups() -> None:
    assert parse_groups({"topic.creation.groups": ""}) == []


def test_the_default_group_has_every_topic() -> None:
    (group,) = parse_groups({**DEFAULT, "topic.creation.default.cleanup.policy": "compact"})
    assert (group.replicas, group.partitions) == (3, -1)
    assert group.settings == {"cleanup.policy": "compact"}
    assert group.matches("any.topic")


def test_groups_are_tried_in_order_and_the_default_last() -> None:
    groups = parse_groups(
        {
            **DEFAULT,
            "topic.creation.groups": "orders, rest",
            "topic.creation.orders.include": r"shop\.orders.*,sales",
            "topic.creation.orders.exclude": ".*_old",
            "topic.creation.orders.partitions": "12",
            "topic.creation.rest.include": "shop.*",
            "topic.creation.rest.retention.ms": "5",
        }
    )
    assert [group.name for group in groups] == ["orders", "rest", "default"]

    def chosen(topic: str) -> str:
        return next(group.name for group in groups if group.matches(topic))

    assert chosen("shop.orders") == "orders"
    assert chosen("sales") == "orders"
    assert chosen("sales2") == "default"
    assert chosen("shop.orders_old") == "rest"
    orders, rest, _ = groups
    assert (orders.replicas, orders.partitions) == (3, 12)
    assert (rest.replicas, rest.partitions, rest.settings) == (3, -1, {"retention.ms": "5"})


def test_a_group_without_a_default_group_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"topic\.creation\.default\.replication\.factor"):
        parse_groups({"topic.creation.groups": "a", "topic.creation.a.partitions": "1"})
