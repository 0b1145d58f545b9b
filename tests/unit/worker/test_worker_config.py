"""The worker file."""

from __future__ import annotations

import pytest

from connector.errors import ConfigError
from connector.worker.listeners import (
    ADMIN_HTTPS,
    Listener,
    access_warnings,
    advertised_listener,
    https_settings,
    is_open,
    parse_listeners,
    worker_id,
)
from connector.worker.worker_config import parse_worker_config, unknown_keys
from tests.fixtures.idle_worker import WORKER

KAFKA = {
    "bootstrap.servers": "h:9092",
    "group.id": "g",
    "config.storage.topic": "c",
    "offset.storage.topic": "o",
    "status.storage.topic": "s",
}


def test_a_standalone_worker() -> None:
    config = parse_worker_config(WORKER)
    assert config.standalone
    assert config["offset.flush.interval.ms"] == 60_000
    assert config.seconds("offset.flush.timeout.ms") == 5
    assert config.listeners == (Listener("http", "", 8083),)
    assert config.admin_listeners is None
    assert config["key.converter"] == "org.apache.kafka.connect.json.JsonConverter"


def test_a_distributed_worker() -> None:
    config = parse_worker_config(KAFKA)
    assert not config.standalone
    assert [config[f"{store}.storage.replication.factor"] for store in ("config", "offset")] == [
        3,
        3,
    ]
    assert [config[f"{store}.storage.partitions"] for store in ("offset", "status")] == [25, 5]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"bootstrap.servers": " "}, 'Missing required configuration "bootstrap.servers"'),
        ({"group.id": None}, 'Missing required configuration "group.id"'),
        ({"status.storage.topic": None}, 'Missing required configuration "status.storage.topic"'),
        ({"status.storage.topic": "c"}, "three storage topics must be different"),
        (
            {"offset.flush.interval.ms": "x"},
            "Invalid value x for configuration offset.flush.interval",
        ),
        ({"offset.flush.interval.ms": "0"}, "Value must be at least 1"),
        ({"listeners": ""}, "Invalid value  for configuration listeners"),
        ({"listeners": "ftp://h:1"}, "Invalid value ftp://h:1 for configuration listeners"),
        (
            {"listeners": "http://h:70000"},
            "Invalid value http://h:70000 for configuration listeners",
        ),
        ({"admin.listeners": "h:1"}, "Invalid value h:1 for configuration admin.listeners"),
        ({"rest.advertised.listener": "ftp"}, "for configuration rest.advertised.listener"),
        ({"exactly.once.source.support": "enabled"}, "exactly-once delivery is not available here"),
        ({"rest.extension.classes": "a.B"}, "REST extensions are Java classes"),
        (
            {"access.control.allow.origin": "http://good, http://(a"},
            "Invalid value http://good, http://(a for configuration access.control.allow.origin",
        ),
        ({"topic.creation.enable": "yes"}, "for configuration topic.creation.enable"),
    ],
)
def test_an_error_names_key_value_and_remedy(change: dict[str, str | None], fault: str) -> None:
    properties = {key: text for key, text in {**KAFKA, **change}.items() if text is not None}
    with pytest.raises(ConfigError) as caught:
        parse_worker_config(properties)
    assert fault in str(caught.value)


def test_unknown_keys() -> None:
    properties = {
        **KAFKA,
        "plugin.path": "/x",
        "producer.linger.ms": "5",
        "security.protocol": "SSL",
        "config.storage.replication.factor": "1",
        "offset.storage.min.insync.replicas": "1",
        "value.converter.schemas.enable": "false",
        "listeners.https.ssl.keystore.location": "/x",
        "ofset.flush.interval.ms": "1",
        "foo": "1",
    }
    assert unknown_keys(properties) == ["ofset.flush.interval.ms", "foo"]


def test_settings_under_a_prefix() -> None:
    config = parse_worker_config({**KAFKA, "producer.acks": "1", "producers": "x"})
    assert config.under("producer.") == {"acks": "1"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://:8083", (Listener("http", "", 8083),)),
        ("HTTP://h:1, https://[::1]:2/", (Listener("http", "h", 1), Listener("https", "::1", 2))),
        ("", ()),
    ],
)
def test_listeners(text: str, expected: tuple[Listener, ...]) -> None:
    assert parse_listeners("listeners", text) == expected


def test_the_advertised_address() -> None:
    listeners = parse_listeners("listeners", "http://a:1,https://b:2")
    assert worker_id(advertised_listener(listeners, {})) == "a:1"
    assert worker_id(advertised_listener(listeners, {"rest.advertised.listener": "HTTPS"})) == "b:2"
    given = {"rest.advertised.host.name": "c", "rest.advertised.port": "3"}
    assert str(advertised_listener(listeners, given)) == "http://c:3"
    six = parse_listeners("listeners", "http://[::1]:5")
    assert worker_id(advertised_listener(six, {})) == "[::1]:5"


def test_an_address_of_every_interface_is_advertised_as_this_hosts_own() -> None:
    found = advertised_listener(parse_listeners("listeners", "http://:8083"), {})
    assert found.host
    assert found.port == 8083


@pytest.mark.parametrize(
    ("settings", "is_closed"),
    [
        ({"ssl.client.auth": "required"}, True),
        ({"listeners.https.ssl.client.auth": "required"}, True),
        ({"ssl.client.auth": "required", "listeners.https.ssl.keystore.location": "k"}, False),
        ({"ssl.client.auth": "required", "listeners.https.ssl.client.auth": "none"}, False),
        ({"ssl.client.auth": "required", "listeners.https.other": "x"}, True),
    ],
)
def test_own_settings_of_https_count_all_together(
    settings: dict[str, str], is_closed: bool
) -> None:
    """With one of them the worker's do not count: clients need no certificate then."""
    assert is_open(Listener("https", "", 8443), settings) != is_closed
    assert is_open(Listener("http", "", 8083), settings)


def test_an_admin_listener_that_others_reach_is_warned_of() -> None:
    admin = parse_listeners("admin.listeners", "http://127.0.0.1:1,http://:8084,https://:8085")
    settings = {"admin.listeners.https.ssl.client.auth": "required"}
    (warning,) = access_warnings((), admin, settings)
    assert warning.startswith("Anyone who reaches http://:8084 changes what this worker logs.")
    assert "admin.listeners" in warning
    assert len(access_warnings((), admin, {"listeners.https.ssl.client.auth": "required"})) == 2


def test_admin_listeners_have_tls_settings_of_their_own() -> None:
    top, own = {"ssl.keystore.location": "/top"}, "ssl.keystore.location"
    settings = {**top, "listeners.https." + own: "/rest", "admin.listeners.https." + own: "/admin"}
    assert https_settings(settings)[own] == "/rest"
    assert https_settings(settings, ADMIN_HTTPS)[own] == "/admin"
    del settings["admin.listeners.https." + own]
    assert https_settings(settings, ADMIN_HTTPS)[own] == "/top"
