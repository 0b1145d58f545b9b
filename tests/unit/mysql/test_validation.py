"""What validation of a connector finds without a server."""

from __future__ import annotations

import pytest

from connector.connectors import mysql_connector
from connector.mysql.config_faults import faults as config_faults
from connector.mysql.connector import MySqlFamily, mariadb, mysql
from connector.plugin_table import PluginTable
from connector.worker.connector_config import source_config
from connector.worker.worker_keys import WORKER

BASE = {
    "database.hostname": "db",
    "database.user": "u",
    "database.server.id": "184054",
    "topic.prefix": "shop",
}
HISTORY = {
    "schema.history.internal.kafka.topic": "history.shop",
    "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
}


def faults(config: dict[str, str], family: MySqlFamily | None = None) -> dict[str, list[str]]:
    report = (family or mysql()).validate({**BASE, **HISTORY, **config})
    return {name: value.errors for name, value in report.items() if value.errors}


@pytest.mark.parametrize("family", [mysql(), mariadb()], ids=["mysql", "mariadb"])
@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_native_code_from_the_history_settings_is_refused(family: MySqlFamily, kind: str) -> None:
    for name in ("plugin.library.paths", "ssl.engine.location", "sasl.kerberos.kinit.cmd"):
        key = f"schema.history.internal.{kind}.{name}"
        assert faults({key: "/tmp/evil.so"}, family) == {
            key: [
                (
                    f"Client setting {name} is not allowed: it makes the Kafka client load native "
                    "code or run a command."
                )
            ]
        }


def test_what_is_not_supported_is_refused() -> None:
    (text,) = faults({"ddl.parser.type": "legacy"})["ddl.parser.type"]
    assert "not supported: there is one grammar" in text


@pytest.mark.parametrize("key", ["gtid.ignore.on.recovery", "millrace.position.headers"])
def test_read_only_snapshots_exclude_some_keys(key: str) -> None:
    (text,) = faults({"read.only": "true", key: "true"})["read.only"]
    assert key in text
    resumable = {"millrace.snapshot.resumable": "true", key: "true"}
    (text,) = faults(resumable)["millrace.snapshot.resumable"]
    assert f"with {key}=true" in text
    assert "set signal.data.collection" in text
    with_table = faults({**resumable, "signal.data.collection": "a.signals"})
    assert "millrace.snapshot.resumable" not in with_table


@pytest.mark.parametrize(
    ("key", "value"), [("snapshot.mode", "initial_only"), ("snapshot.query.mode", "custom")]
)
def test_a_resumable_snapshot_excludes_what_cannot_be_read_in_chunks(key: str, value: str) -> None:
    custom = {"snapshot.query.mode.custom.name": "x"} if value == "custom" else {}
    found = faults({"millrace.snapshot.resumable": "true", key: value, **custom})
    (text,) = found["millrace.snapshot.resumable"]
    assert f"invalid with {key}={value}" in text


@pytest.mark.parametrize(
    ("config", "key", "fault"),
    [
        ({"signal.enabled.channels": "source,jmx"}, "signal.enabled.channels", "source, kafka"),
        ({"signal.enabled.channels": "kafka"}, "signal.kafka.bootstrap.servers", "required"),
        ({"signal.data.collection": "a"}, "signal.data.collection", "one table"),
        ({"signal.data.collection": "a.b,c.d"}, "signal.data.collection", "one table"),
        ({"signal.consumer.fetch.min.bytes": "x"}, "signal.consumer.fetch.min.bytes", "Not a"),
        ({"signal.consumer.plugin.library.paths": "x"}, "signal.consumer.plugin.library.paths", ""),
        ({"incremental.snapshot.chunk.size": "0"}, "incremental.snapshot.chunk.size", "at least"),
        (
            {"signal.data.collection": "a.b", "skipped.operations": "c,t"},
            "skipped.operations",
            "must not have c",
        ),
        (
            {
                "signal.data.collection": "a.b",
                "skipped.operations": "d",
                "incremental.snapshot.watermarking.strategy": "insert_delete",
            },
            "skipped.operations",
            "must not have d",
        ),
    ],
)
def test_signals_that_would_not_arrive_are_refused(
    config: dict[str, str], key: str, fault: str
) -> None:
    (text,) = faults(config)[key]
    assert fault in text


def test_signals_of_all_channels_are_accepted() -> None:
    config = {
        "signal.data.collection": "inventory.signals",
        "signal.enabled.channels": "source,kafka,file",
        "signal.kafka.bootstrap.servers": "kafka:9092",
        "signal.kafka.topic": "signals",
        "signal.file": "/tmp/signals",
        "signal.consumer.fetch.min.bytes": "1",
    }
    assert faults(config).keys() <= {"database.hostname"}  # there is no such server


@pytest.mark.parametrize(
    ("config", "key", "fault"),
    [
        ({"notification.enabled.channels": "jmx"}, "notification.enabled.channels", "sink, log"),
        ({"notification.enabled.channels": "sink"}, "notification.sink.topic.name", "provided"),
    ],
)
def test_notifications_need_a_channel_and_a_topic(
    config: dict[str, str], key: str, fault: str
) -> None:
    (text,) = faults(config)[key]
    assert fault in text


@pytest.mark.parametrize(
    ("key", "likely"),
    [
        ("tabel.include.list", "table.include.list"),
        ("table.includes.list", "table.include.list"),
        ("database.inclde.list", "database.include.list"),
        ("table.whitelst", "table.whitelist"),
        ("column.exclude", "column.exclude.list"),
        ("skiped.operations", "skipped.operations"),
        ("message.key.column", "message.key.columns"),
        ("signal.enabled.channel", "signal.enabled.channels"),
    ],
)
def test_a_misspelled_key_names_the_likely_one(key: str, likely: str) -> None:
    (text,) = faults({key: "a.b"})[key]
    assert text.startswith(f"Unknown configuration {key}, which looks like {likely}: ")


def test_keys_of_others_are_not_misspelled() -> None:
    table = PluginTable()
    connect = source_config({"connector.class": mysql().class_name}, WORKER.parse({}), table)
    foreign = """database.sslMode database.connectionTimeZone driver.useSSL topic.creation.groups
        transforms.t.table.include.list isbn.table.include.lst offsets.storage.topic
        snapshot.locking.mode.custom.name snapshot.new.tables max.poll.interval.ms
        key.converter.schemas.enable"""
    keys = {*foreign.split(), *(key.name for key in connect)}
    config = {**dict.fromkeys(keys, "x"), "converters": "isbn"}
    assert not set(config_faults({**BASE, **HISTORY, **config}, mysql().config_def))


@pytest.mark.parametrize(
    ("config", "key", "fault"),
    [
        (
            {"table.include.list": "a.b", "table.exclude.list": "a.c"},
            "table.exclude.list",
            '"table.exclude.list" is already specified; use it or table.include.list',
        ),
        (
            {"gtid.source.includes": "a", "gtid.source.excludes": "b"},
            "gtid.source.excludes",
            '"gtid.source.excludes" is already specified; use it or gtid.source.includes',
        ),
        (
            {"topic.prefix": "a shop"},
            "topic.prefix",
            (
                "The 'topic.prefix' value is invalid: a shop has invalid format (only the "
                "underscore, hyphen, dot and alphanumeric characters are allowed)"
            ),
        ),
        (
            {"topic.prefix": "history.shop"},
            "topic.prefix",
            "The 'topic.prefix' value is invalid: it is the topic of the schema history",
        ),
        (
            {"schema.history.internal.kafka.topic": ""},
            "schema.history.internal.kafka.topic",
            "The 'schema.history.internal.kafka.topic' value is invalid: A value is required",
        ),
        (
            {"schema.history.internal.producer.acks": "2"},
            "schema.history.internal.producer.acks",
            "Invalid value 2 for configuration acks: String must be one of: all, -1, 0, 1",
        ),
    ],
)
def test_settings_that_cannot_work_together(config: dict[str, str], key: str, fault: str) -> None:
    assert faults(config) == {key: [fault]}


def test_an_old_key_is_named_beside_its_successor() -> None:
    config = {**BASE, **HISTORY, "database.server.name": "a shop"}
    del config["topic.prefix"]
    (text,) = mysql_connector().validate(config)["topic.prefix"].errors
    assert text.endswith("(set as database.server.name)")
