"""The servers that ``database.hostname`` names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from connector.errors import ConfigError
from connector.mysql.config_faults import faults
from connector.mysql.config_keys import config_def
from connector.mysql.options import connection_settings
from connector.mysql.session.addresses import Address, Addresses, parse_addresses

REQUIRED = {"database.user": "u", "database.server.id": "1", "topic.prefix": "p"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("db", ["db:3306"]),
        ("db:3307", ["db:3307"]),
        ("::1", ["[::1]:3306"]),
        ("[::1]:3307", ["[::1]:3307"]),
        ("a, b:3307 ,[2001:db8::3],a", ["a:3306", "b:3307", "[2001:db8::3]:3306"]),
        ("10.0.0.1,10.0.0.2:1", ["10.0.0.1:3306", "10.0.0.2:1"]),
    ],
)
def test_servers_with_and_without_a_port(text: str, found: list[str]) -> None:
    assert list(map(str, parse_addresses(text, 3306))) == found


@pytest.mark.parametrize("text", ["a,", "a,,b", "a b,c", "a,b:x", "a,b:0", "a,b:70000", "a,::1"])
def test_a_list_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"Invalid value .* for configuration database\.hostname"):
        parse_addresses(text, 3306)
    key = config_def("mysql")["database.hostname"]
    assert key.validator is not None
    assert "Invalid value" in str(key.validator(key.name, text))


def test_the_others_come_in_their_order_from_the_present_one_on() -> None:
    servers = Addresses([Address(name, 1) for name in "abc"])
    assert [one.host for one in servers.others()] == ["b", "c"]
    servers.current = Address("b", 1)
    assert [one.host for one in servers.others()] == ["c", "a"]


def test_all_sessions_go_to_the_present_server() -> None:
    values = config_def("mysql").parse(REQUIRED | {"database.hostname": "a, b:7"})
    settings = connection_settings(values)
    assert settings.servers is not None
    other = replace(settings, query_timeout=1)
    settings.servers.current = Address("b", 7)
    assert other.address == Address("b", 7)
    assert other.at(Address("a", 3306)).address == Address("a", 3306)


def test_gtids_decide_and_must_not_be_ignored() -> None:
    config = REQUIRED | {"database.hostname": "a,b", "gtid.ignore.on.recovery": "true"}
    assert "several servers" in faults(config, config_def("mysql"))["gtid.ignore.on.recovery"]
    assert "gtid.ignore.on.recovery" not in faults(
        config | {"database.hostname": "a"}, config_def("mysql")
    )
