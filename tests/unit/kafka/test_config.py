"""Java client settings in librdkafka's terms."""

from __future__ import annotations

import logging
import re

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient

from connector.errors import ConfigError
from connector.kafka.config import client_config, client_settings
from connector.kafka.keys import CLIENT_KEYS, KINDS, ClientKind
from connector.kafka.librdkafka_keys import LIBRDKAFKA_KEYS, REFUSED

SAMPLES = {
    "BOOLEAN": "true",
    "INT": "5000",
    "LONG": "5000",
    "LIST": "127.0.0.1:1",
    "STRING": "x",
    "PASSWORD": "x",
}
VALUES = {
    "acks": "all",
    "client.dns.lookup": "use_all_dns_ips",
    "compression.type": "zstd",
    "compression.gzip.level": "5",
    "compression.lz4.level": "5",
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "session.timeout.ms": "10000",
    "max.poll.interval.ms": "300000",
    "fetch.max.bytes": "52428800",
    "batch.size": "16384",
    "max.request.size": "1048576",
    "buffer.memory": "33554432",
    "socket.connection.setup.timeout.ms": "10000",
    "reconnect.backoff.max.ms": "10000",
    "retry.backoff.max.ms": "5000",
    "transaction.timeout.ms": "60000",
    "delivery.timeout.ms": "120000",
    "max.in.flight.requests.per.connection": "5",
    "enable.idempotence": "false",
    "max.partition.fetch.bytes": "1048576",
    "fetch.max.wait.ms": "500",
    "request.timeout.ms": "40000",
}
CLIENTS = {"producer": Producer, "consumer": Consumer, "admin": AdminClient}


@pytest.mark.parametrize("kind", KINDS)
def test_librdkafka_takes_every_translated_setting(kind: ClientKind) -> None:
    for key in CLIENT_KEYS[kind].values():
        if key.translated and key.name != "transactional.id":
            value = VALUES.get(key.name, SAMPLES[key.type])
            settings = {key.name: value, "bootstrap.servers": "127.0.0.1:1"}
            config: dict[str, str | int] = {"log_level": 0, **client_config(settings, kind)}
            if kind == "consumer":
                config.setdefault("group.id", "g")
            assert CLIENTS[kind](config) is not None, key.name


@pytest.mark.parametrize(
    ("java", "kind", "expected"),
    [
        ({"bootstrap.servers": "a:1, b:2"}, "producer", {"bootstrap.servers": "a:1,b:2"}),
        ({"buffer.memory": "33554432"}, "producer", {"queue.buffering.max.kbytes": 32768}),
        ({"buffer.memory": "10"}, "producer", {"queue.buffering.max.kbytes": 1}),
        ({"max.request.size": "2097152"}, "producer", {"message.max.bytes": 2097152}),
        ({"batch.size": "0"}, "producer", {"batch.size": 1}),
        ({"request.timeout.ms": "2147483647"}, "producer", {"request.timeout.ms": 900_000}),
        ({"request.timeout.ms": "40000"}, "consumer", {"socket.timeout.ms": 40_000}),
        ({"fetch.max.wait.ms": "100"}, "consumer", {"fetch.wait.max.ms": 100}),
        ({"send.buffer.bytes": "-1"}, "consumer", {"socket.send.buffer.bytes": 0}),
        ({"connections.max.idle.ms": "-1"}, "admin", {"connections.max.idle.ms": 0}),
        ({"enable.idempotence": " TRUE "}, "producer", {"enable.idempotence": "true"}),
        ({"max.block.ms": "9223372036854775807", "key.serializer": "x"}, "producer", {}),
        ({"compression.type": "gzip", "compression.gzip.level": "9"}, "producer",
         {"compression.type": "gzip", "compression.level": 9}),
        ({"compression.type": "lz4", "compression.gzip.level": "9"}, "producer",
         {"compression.type": "lz4"}),
        ({"queue.buffering.max.messages": "10"}, "producer",
         {"queue.buffering.max.messages": 10}),
        ({"reconnect.backoff.ms": "20000"}, "admin",
         {"reconnect.backoff.ms": 20_000, "reconnect.backoff.max.ms": 20_000}),
        ({"acks": "1"}, "producer", {"acks": "1", "enable.idempotence": "false"}),
        ({"acks": "-1", "retries": "0"}, "producer",
         {"acks": "-1", "retries": 0, "enable.idempotence": "false"}),
        ({"partitioner.class": "org.apache.kafka.clients.producer.internals.DefaultPartitioner"},
         "producer", {"partitioner": "murmur2_random"}),
        ({"ssl.endpoint.identification.algorithm": "", "security.protocol": "SSL"}, "producer",
         {"ssl.endpoint.identification.algorithm": "none", "security.protocol": "SSL"}),
    ],
)  # fmt: skip
def test_one_translation(
    java: dict[str, str], kind: ClientKind, expected: dict[str, str | int]
) -> None:
    assert client_config(java, kind) == expected


def test_a_bad_number_is_reported_in_kafkas_words() -> None:
    with pytest.raises(
        ConfigError,
        match=r"^Invalid value x for configuration linger\.ms: Not a number of type LONG$",
    ):
        client_config({"linger.ms": "x"}, "producer")


def test_an_unknown_setting_is_refused_without_its_value() -> None:
    with pytest.raises(ConfigError, match=r"Invalid client setting linger\.msec: ") as caught:
        client_config({"linger.msec": "s3cret"}, "producer")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_load_code_or_run_commands_are_refused(kind: ClientKind, name: str) -> None:
    with pytest.raises(ConfigError, match=rf"^Client setting {re.escape(name)} is not allowed: "):
        client_config({name: "/tmp/evil.so"}, kind)


def test_librdkafka_takes_every_allowed_setting_of_its_own() -> None:
    samples = {"LONG": "1000", "BOOLEAN": "true", "LIST": "a:1", "STRING": "x", "PASSWORD": "x"}
    for key in LIBRDKAFKA_KEYS.values():
        value = key.allowed[0] if key.allowed else samples[key.type]
        if key.low is not None and key.high is not None:
            value = str(min(max(key.low, 1000), key.high))
        text = str(client_config({key.name: value}, "consumer")[key.name])
        consumed = {"fetch.message.max.bytes", "message.max.bytes", "receive.message.max.bytes"}
        if key.name not in consumed:  # these depend on each other
            assert Consumer({"log_level": 0, "group.id": "g", key.name: text}) is not None, key.name


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"batch.num.messages": "0"}, "batch.num.messages: Value must be between 1 and 1000000"),
        ({"acks": "2"}, "acks: String must be one of: all, -1, 0, 1"),
        ({"compression.type": "brotli"}, "compression.type: String must be one of: "),
        ({"security.protocol": "TLS"}, "security.protocol: String must be one of: "),
        ({"acks": "1", "enable.idempotence": "true"}, "enable.idempotence=true needs acks=all"),
        ({"max.in.flight": "6", "enable.idempotence": "true"}, "for configuration max.in.flight"),
        ({"linger.ms": "20", "delivery.timeout.ms": "10"}, "must be greater than linger.ms"),
        ({"client.id": "a\0b"}, "client.id: it holds a NUL character"),
    ],
)
def test_values_that_librdkafka_would_refuse(settings: dict[str, str], fault: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(fault)):
        client_config(settings, "producer")


def test_a_partitioner_of_javas_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"partitioner\.class: Java classes cannot be loaded"):
        client_config({"partitioner.class": "com.example.P"}, "producer")


def test_ignored_settings_are_logged_at_debug(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "connector.kafka.config"):
        client_config({"max.block.ms": "1", "sasl.jaas.config": _plain("u", "s3cret")}, "producer")
    lines = [record.getMessage() for record in caplog.records]
    assert lines == ["The client setting max.block.ms has no meaning outside the Java client."]


def _plain(user: str, password: str) -> str:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return f'{module} required username="{user}" password="{password}";'


def test_the_workers_own_clients_take_its_top_level() -> None:
    worker = {
        "bootstrap.servers": "a:1",
        "security.protocol": "SSL",
        "linger.ms": "5",
        "session.timeout.ms": "10000",
        "key.converter": "x",
        "producer.acks": "1",
    }
    assert client_settings(worker, "producer") == {
        "bootstrap.servers": "a:1",
        "security.protocol": "SSL",
        "linger.ms": "5",
    }
    assert "session.timeout.ms" in client_settings(worker, "consumer")


def test_a_producer_has_no_transactions() -> None:
    """No message could ever be sent: the producer would be replaced without end."""
    with pytest.raises(ConfigError, match="transactions are not available here"):
        client_config({"transactional.id": "t", "delivery.timeout.ms": "10000"}, "producer")
