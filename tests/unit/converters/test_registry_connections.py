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


def test_requests_go_through_a_proxy() -> None:
    with scripted_registry() as proxy:
        host, _, port = proxy.address.partition(":")
        config = {URL: "http://registry.invalid:8081", "proxy.host": host, "proxy.port": port}
        avro = AvroConverter(config)
        assert avro.from_connect("t", INT32, 1) == bytes.fromhex("00 00000007 02")
        path = "http://registry.invalid:8081/subjects/t-value/versions?normalize=false"
        assert proxy.requests[0][1] == path


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://r:port", "https://r:99999", "http://r:0", "http://", "r:8081", "ftp://r"],
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
