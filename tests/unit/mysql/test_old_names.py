"""Configurations of all generations in today's names."""

from __future__ import annotations

import pytest

from connector.mysql.old_names import translate


@pytest.mark.parametrize(
    ("old", "today"),
    [
        ({"database.server.name": "shop"}, {"topic.prefix": "shop"}),
        ({"database.whitelist": "a"}, {"database.include.list": "a"}),
        ({"database.blacklist": "a"}, {"database.exclude.list": "a"}),
        ({"table.whitelist": "a.b"}, {"table.include.list": "a.b"}),
        ({"table.blacklist": "a.b"}, {"table.exclude.list": "a.b"}),
        ({"column.whitelist": "a.b.c"}, {"column.include.list": "a.b.c"}),
        ({"column.blacklist": "a.b.c"}, {"column.exclude.list": "a.b.c"}),
        ({"snapshot.minimal.locks": "true"}, {"snapshot.locking.mode": "minimal"}),
        ({"snapshot.minimal.locks": "False"}, {"snapshot.locking.mode": "extended"}),
        ({"sanitize.field.names": "true"}, {"field.name.adjustment.mode": "avro"}),
        ({"sanitize.field.names": "false"}, {"field.name.adjustment.mode": "none"}),
        (
            {"database.history.kafka.topic": "h"},
            {"schema.history.internal.kafka.topic": "h"},
        ),
        (
            {"database.history": "io.debezium.relational.history.FileDatabaseHistory"},
            {"schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory"},
        ),
        (
            {"database.history.kafka.producer.acks": "all", "database.history.consumer.a": "b"},
            {
                "schema.history.internal.producer.acks": "all",
                "schema.history.internal.consumer.a": "b",
            },
        ),
        (
            {"database.history.store.only.monitored.tables.ddl": "true"},
            {"schema.history.internal.store.only.captured.tables.ddl": "true"},
        ),
        (
            {"event.deserialization.failure.handling.mode": "warn"},
            {"event.processing.failure.handling.mode": "warn"},
        ),
        (
            {"topic.prefix": "shop", "transaction.topic": "shop.tx"},
            {"topic.prefix": "shop", "topic.transaction": "tx"},
        ),
        ({"transaction.topic": "${database.server.name}.tx"}, {"topic.transaction": "tx"}),
    ],
)
def test_old_keys(old: dict[str, str], today: dict[str, str]) -> None:
    found = translate(old)
    assert (found.config, found.faults) == (today, {})
    assert found.renamed.keys() == old.keys() - today.keys()


def test_keys_of_today_are_left_alone() -> None:
    config = {"topic.prefix": "shop", "database.hostname": "db", "driver.useSSL": "false"}
    assert translate(config).config == config
    assert translate(config).renamed == {}


def test_old_and_new_key_may_say_the_same() -> None:
    found = translate({"topic.prefix": "shop", "database.server.name": "shop"})
    assert (found.config, found.faults) == ({"topic.prefix": "shop"}, {})


def test_values_that_contradict_each_other() -> None:
    found = translate({"table.whitelist": "a.b", "table.include.list": "a.c"})
    assert found.faults == {
        "table.whitelist": (
            "table.whitelist is the old name of table.include.list, and both are set to different "
            "values; remove table.whitelist"
        )
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("snapshot.minimal.locks", "perhaps"),
        ("transaction.topic", "elsewhere"),
        ("source.struct.version", "v1"),
        ("gtid.new.channel.position", "latest"),
    ],
)
def test_values_that_cannot_be_had_today(key: str, value: str) -> None:
    assert translate({key: value}).faults.keys() == {key}


def test_old_values_that_are_todays_behavior() -> None:
    config = {"source.struct.version": "v2", "gtid.new.channel.position": "earliest"}
    assert translate(config).faults == {}
