"""A connector's configuration as options; values that are wrong are refused by key."""

from __future__ import annotations

from typing import Any

import pytest

from connector.config import ConfigKey, pairs
from connector.errors import ConfigError
from connector.mysql.config_keys import config_def
from connector.mysql.options import capture_options, connection_settings, type_options
from connector.mysql.types.type_options import TypeOptions

REQUIRED = {
    "database.hostname": "db",
    "database.user": "u",
    "database.server.id": "184054",
    "topic.prefix": "shop",
}
CONNECTORS = ["mysql", "mariadb"]


def values(connector: str = "mysql", **more: str) -> dict[str, Any]:
    config = REQUIRED | {name.replace("__", "."): text for name, text in more.items()}
    return config_def(connector).parse(config)


def test_types_are_represented_as_by_debezium_by_default() -> None:
    assert type_options(values(), "mysql") == TypeOptions()
    assert type_options(values("mariadb"), "mariadb") == TypeOptions(flavor="mariadb")


def test_modes_may_be_written_in_any_case() -> None:
    found = type_options(
        config_def("mysql").parse(
            REQUIRED
            | {
                "time.precision.mode": "Connect",
                "decimal.handling.mode": "STRING",
                "bigint.unsigned.handling.mode": "Precise",
                "binary.handling.mode": "base64-URL-safe",
                "enable.time.adjuster": "False",
            }
        ),
        "mysql",
    )
    assert found == TypeOptions(
        time_precision="connect",
        decimal="string",
        unsigned_bigint="precise",
        binary="base64-url-safe",
        adjust_years=False,
    )


def test_what_is_captured() -> None:
    config = REQUIRED | {
        "include.query": "true",
        "skipped.operations": "c, D",
        "message.key.columns": "shop.t:a",
        "guardrail.collections.max": "5",
        "guardrail.collections.limit.action": "fail",
    }
    found = capture_options(config_def("mysql").parse(config), config)
    assert (found.server_id, found.queries) == (184054, True)
    assert found.skipped == {"c", "d"}
    assert found.message_key_columns == "shop.t:a"
    assert (found.most_tables, found.fails_with_more_tables) == (5, True)


@pytest.mark.parametrize(
    ("text", "skipped"), [(None, {"t"}), ("none", set()), ("u,t", {"u", "t"}), ("", set())]
)
def test_operations_that_are_skipped(text: str | None, skipped: set[str]) -> None:
    config = REQUIRED | ({} if text is None else {"skipped.operations": text})
    assert capture_options(config_def("mysql").parse(config), config).skipped == skipped


@pytest.mark.parametrize(
    ("text", "mode"), [("fail", "fail"), ("WARN", "warn"), ("skip", "skip"), ("ignore", "skip")]
)
def test_what_to_do_with_tables_that_are_not_known(text: str, mode: str) -> None:
    config = REQUIRED | {"inconsistent.schema.handling.mode": text}
    assert capture_options(config_def("mysql").parse(config), config).inconsistent_schema == mode


A, B = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "11111111-2222-3333-4444-555555555555"


def _gtid_filter(**more: str) -> Any:
    config = REQUIRED | {f"gtid.source.{name}": text for name, text in more.items()}
    return capture_options(config_def("mysql").parse(config), config)


def test_sources_of_a_topology_are_chosen() -> None:
    included = _gtid_filter(includes=f"{A},22.*").captures_gtid
    excluded = _gtid_filter(excludes=A).captures_gtid
    assert [included(A), included(B)] == [True, False]
    assert [excluded(A), excluded(B)] == [False, True]
    assert _gtid_filter().captures_gtid is None
    with pytest.raises(ConfigError, match=r"gtid\.source\.includes and gtid\.source\.excludes"):
        _gtid_filter(includes=A, excludes=B)


def test_rows_may_pass_the_filter_of_sources() -> None:
    assert _gtid_filter(includes=A).captures_rows_of is not None
    config = REQUIRED | {"gtid.source.includes": A, "gtid.source.filter.dml.events": "false"}
    found = capture_options(config_def("mysql").parse(config), config)
    assert found.captures_rows_of is None
    assert found.captures_gtid is not None


def test_selects_of_the_user(caplog: pytest.LogCaptureFixture) -> None:
    prefix = "snapshot.select.statement.overrides"
    config = REQUIRED | {prefix: "shop.a, shop.b", f"{prefix}.shop.a": "SELECT * FROM a LIMIT 5"}
    found = capture_options(config_def("mysql").parse(config), config)
    assert found.selects == {"shop.a": "SELECT * FROM a LIMIT 5"}
    assert f"{prefix}.shop.b is not set" in caplog.text


def test_how_the_database_is_reached() -> None:
    more = {
        "database.port": "3307",
        "database.password": "p w",
        "connect.timeout.ms": "1500",
        "database.query.timeout.ms": "0",
        "database.initial.statements": "SET a = 1; SET b = ';;' ;SET c = 2;",
        "binlog.net.read.timeout": "30",
    }
    found = connection_settings(config_def("mysql").parse(REQUIRED | more))
    assert (found.host, found.port, found.user, found.password) == ("db", 3307, "u", "p w")
    assert (found.connect_timeout, found.query_timeout, found.log_read_timeout) == (1.5, 0, 30)
    assert found.initial_statements == ("SET a = 1", "SET b = ';'", "SET c = 2")
    assert "p w" not in repr(found)


@pytest.mark.parametrize(
    ("connector", "text", "mode"),
    [
        ("mysql", None, "preferred"),
        ("mysql", "verify_identity", "verify_identity"),
        ("mariadb", None, "disabled"),
        ("mariadb", "trust", "required"),
        ("mariadb", "verify-full", "verify_identity"),
    ],
)
def test_modes_of_encryption(connector: str, text: str | None, mode: str) -> None:
    config = REQUIRED | ({} if text is None else {"database.ssl.mode": text})
    assert connection_settings(config_def(connector).parse(config)).tls.mode == mode


@pytest.mark.parametrize("connector", CONNECTORS)
@pytest.mark.parametrize("key", REQUIRED)
def test_what_is_required_is_named(connector: str, key: str) -> None:
    lacking = {name: text for name, text in REQUIRED.items() if name != key}
    for config in (lacking, lacking | {key: ""}):
        errors = config_def(connector).check(config)[key].errors
        assert any(key in error for error in errors)
        with pytest.raises(ConfigError, match=key):
            config_def(connector).parse(config)


KEYS = [(name, key.name) for name in CONNECTORS for key in config_def(name)]
NONSENSE = ("nonsense", "(", "-5", "true", "false", "7")


def key_of(connector: str, name: str) -> ConfigKey:
    return config_def(connector)[name]


@pytest.mark.parametrize(("connector", "name"), KEYS)
def test_every_key_has_a_default_that_is_accepted(connector: str, name: str) -> None:
    report = config_def(connector).check(REQUIRED)[name]
    assert report.errors == []


@pytest.mark.parametrize(
    ("connector", "name"),
    [key for key in KEYS if key_of(*key).type in ("INT", "LONG", "SHORT", "DOUBLE", "BOOLEAN")],
)
def test_a_value_of_the_wrong_type_is_refused_by_key(connector: str, name: str) -> None:
    (error,) = config_def(connector).check(REQUIRED | {name: "nonsense"})[name].errors
    assert error.startswith(f"Invalid value nonsense for configuration {name}:")


@pytest.mark.parametrize(
    ("connector", "name"),
    [key for key in KEYS if key_of(*key).validator is not None and key[1] not in REQUIRED],
)
def test_a_key_with_a_rule_refuses_something_by_key(connector: str, name: str) -> None:
    errors = [
        error
        for text in NONSENSE
        for error in config_def(connector).check(REQUIRED | {name: text})[name].errors
    ]
    assert errors
    assert all(name in error for error in errors)


@pytest.mark.parametrize("text", ["team", "=x", "a=b=c", "team=", "no label=x", "connector=mine"])
def test_metric_tags_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"custom\.metric\.tags"):
        values(custom__metric__tags=text)


def test_metric_tags() -> None:
    assert pairs(values(custom__metric__tags="a=1, b = 2")["custom.metric.tags"]) == {
        "a": "1",
        "b": "2",
    }
    assert pairs(values()["custom.metric.tags"]) == {}
