"""No two topics are written to one table: a name belongs to the topic that has it first."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from sparksink.config.file import parse
from sparksink.errors import ConfigError, TableError
from sparksink.source.routes import Routes
from sparksink.source.target_names import TargetNames
from tests.unit.sparksink.least_config import changed

HISTORY = {"history": {"enabled": True}}


class Job:
    """A job that knows the topics that were applied, and the tables that exist."""

    def __init__(
        self, applied: Collection[str] = (), existing: Collection[str] = (), **given: Any
    ) -> None:
        config = parse(changed(**given))
        self.names = TargetNames(config, lambda name: name in existing, lambda: applied)
        self.routes = Routes(config)

    def refused(self, *topics: str) -> list[str]:
        """Return the topics of a batch whose tables belong to others."""
        self.names.claim(topics)
        return [topic for topic in topics if not self.names.owns(topic)]


@pytest.mark.parametrize(
    ("topic", "other"),
    [("srv.shop.Orders", "srv.shop.orders"), ("srv.shop.a-b", "srv.shop.a_b")],
)
def test_of_new_topics_the_first_one_by_name_has_the_table(topic: str, other: str) -> None:
    assert Job().refused(other, "srv.shop.items", topic) == [other]
    job = Job()
    assert job.refused(topic, other) == [other]
    job.names.check(topic)
    with pytest.raises(TableError, match=f"would be written to shop__.*belongs to {topic}"):
        job.names.check(other)


def test_a_topic_that_was_applied_keeps_its_table() -> None:
    applied = ["srv.shop.orders"]
    assert Job(applied).refused("srv.shop.Orders", "srv.shop.orders") == ["srv.shop.Orders"]
    assert Job(applied).refused("srv.shop.Orders") == ["srv.shop.Orders"]
    job = Job()
    assert job.refused("srv.shop.orders") == []
    assert job.refused("srv.shop.Orders", "srv.shop.orders") == ["srv.shop.Orders"]


def test_another_name_in_the_settings_resolves_it() -> None:
    own = [{"match": r"shop\.Orders", "target": {"name": "orders2", "history.name": "o2_h"}}]
    assert Job(["srv.shop.orders"], tables=own).refused("srv.shop.Orders") == []


def test_names_of_disabled_histories_are_free() -> None:
    topics = "srv.shop.orders", "srv.shop.orders__history"
    assert Job().refused(*topics) == []
    assert Job(**HISTORY).refused(*topics) == [topics[1]]
    assert Job(mirror={"enabled": False}, **HISTORY).refused(*topics) == []


def test_a_table_without_a_key_needs_its_history() -> None:
    topics = "srv.shop.orders", "srv.shop.orders__history"
    job = Job()
    assert job.refused(*topics) == []
    with pytest.raises(TableError, match=f"belongs to {topics[1]}"):
        job.names.claim_history(job.routes.route(topics[0]))
    first = Job()
    assert first.refused(topics[0]) == []
    first.names.claim_history(first.routes.route(topics[0]))
    assert first.refused(topics[1]) == [topics[1]]


def test_a_disabled_history_keeps_its_name_while_it_exists() -> None:
    topics = "srv.shop.orders", "srv.shop.orders__history"
    assert Job(topics[:1]).refused(*topics) == []
    assert Job(topics[:1], ["shop__orders__history"]).refused(*topics) == [topics[1]]
    assert Job(topics, ["shop__orders__history"]).refused(*topics) == []


def test_messages_that_name_no_table_claim_nothing() -> None:
    assert Job().refused("srv.shop.all/", "srv.shop.all/shop.all") == []


def test_two_topics_of_one_table_are_an_error_of_the_configuration() -> None:
    with pytest.raises(ConfigError, match=r"a\.shop\.orders and b\.shop\.orders are both shop\."):
        Job().names.claim(["b.shop.orders", "a.shop.orders"])
