"""How Confluent's converters reach a registry: headers, proxies, and what is refused."""

from __future__ import annotations

import pytest

from connector.converters.avro.confluent import AvroConverter
from connector.data.schema import INT32
from connector.errors import ConfigError
from tests.fixtures.scripted_registry import scripted_registry

URL = "schema.registry.url"


def test_headers_are_sent() -> None:
    with scripted_registry() as registry:
        avro = AvroConverter({URL: registry.url, "request.header.X-Tenant": "shop"})
        avro.from_connect("t", INT32, 1)
        assert registry.requests[0][2]["X-Tenant"] == "shop"


def test_a_token_may_end_with_a_line_break() -> None:
    with scripted_registry() as registry:
        avro = AvroConverter({URL: registry.url, "bearer.auth.token": "tok\n"})
        avro.from_connect("t", INT32, 1)
        assert registry.requests[0][2]["Authorization"] == "Bearer tok"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("bearer.auth.token", "sécret"),
        ("bearer.auth.token", "sec\nret"),
        ("request.header.X-Tenant", "sécret"),
        ("request.header.X-Tenant", "secret\r\nX: y"),
        ("request.header.X Tenant", "secret"),
        ("request.header.é", "secret"),
        ("request.header.", "secret"),
    ],
)
def test_headers_that_cannot_be_sent_are_refused(key: str, value: str) -> None:
    with pytest.raises(ConfigError, match="for the schema registry cannot be sent") as caught:
        AvroConverter({URL: "http://r", key: value})
    assert value not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "port"), [("me:secret@h:x", "80"), ("ftp://me:secret@h", "80"), ("h", "99999")]
)
def test_a_wrong_proxy_is_refused(host: str, port: str) -> None:
    with pytest.raises(ConfigError, match=r"Set proxy.host to the host of an HTTP proxy") as caught:
        AvroConverter({URL: "http://r", "proxy.host": host, "proxy.port": port})
    assert "secret" not in str(caught.value)


def test_requests_go_through_a_proxy() -> None:
    with scripted_registry() as proxy:
        host, _, port = proxy.address.partition(":")
        config = {URL: "http://registry.invalid:8081", "proxy.host": host, "proxy.port": port}
        avro = AvroConverter(config)
        assert avro.from_connect("t", INT32, 1) == bytes.fromhex("00 00000007 02")
        path = "http://registry.invalid:8081/subjects/t-value/versions?normalize=false"
        assert proxy.requests[0][1] == path


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka Connect does not use them: a registry may be reachable without a proxy alone."""
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with scripted_registry() as registry:
        avro = AvroConverter({URL: registry.url})
        assert avro.from_connect("t", INT32, 1) == bytes.fromhex("00 00000007 02")


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://r:port",
        "https://r:99999",
        "http://r:0",
        "http://",
        "r:8081",
        "ftp://r",
    ],
)
def test_urls_that_are_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"The URL of the schema registry must begin with http"):
        AvroConverter({URL: url.replace("//", "//me:secret@")})


@pytest.mark.parametrize("port", ["-1", "0"])
def test_a_proxy_needs_a_port(port: str) -> None:
    with scripted_registry() as registry:
        config = {URL: registry.url, "proxy.host": "proxy.invalid", "proxy.port": port}
        AvroConverter(config).from_connect("t", INT32, 1)
        assert len(registry.requests) == 1


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("use.schema.guid", "5a1c", "set use.schema.id"),
        ("use.latest.with.metadata", "application=shop", "set use.latest.version"),
        ("propagate.schema.tags", "true", "has tags"),
        ("context.name.strategy", "com.example.Mine", "add /contexts/NAME"),
        ("rule.executors", "encrypt", "rules of schemas are not run"),
        ("schema.registry.ssl.truststore.certificates", "-----BEGIN", "ssl.truststore.location"),
        ("schema.registry.ssl.keystore.key", "-----BEGIN", "ssl.keystore.location"),
    ],
)
def test_settings_that_need_other_features_are_refused(key: str, value: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        AvroConverter({URL: "http://r", key: value})
