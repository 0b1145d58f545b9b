"""Topics renamed by an expression."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.data.record import Header, Record
from connector.errors import ConfigError, TransformError
from connector.transforms.regex_router import RegexRouter


def _routed(regex: str, replacement: str, topic: str) -> str:
    router = RegexRouter({"regex": regex, "replacement": replacement})
    return router.apply(Record(topic, None, None, None, None, None)).topic


@pytest.mark.parametrize(
    ("regex", "replacement", "topic", "renamed"),
    [
        ("srv\\.shop\\.(.*)", "$1", "srv.shop.orders", "orders"),
        ("([^.]+)\\.([^.]+)\\.([^.]+)", "$3_$1", "srv.shop.orders", "orders_srv"),
        ("(.*)_shard\\d+", "$1_all", "orders_shard12", "orders_all"),
        ("(.*)", "x.$0", "t", "x.t"),
        ("(?<db>.*)\\.(?<table>.*)", "${table}-${db}", "shop.orders", "orders-shop"),
        ("(?<!x)a(?<=a)b", "lookbehind", "ab", "lookbehind"),
        ("a(b)?c", "[$1]", "ac", "[]"),
        ("(a)(.*)", "$10-$27", "ab", "a0-b7"),  # as many digits as name a group
        ("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "$10.$1", "abcdefghij", "j.a"),
        ("(.*)", "x$01", "t", "xt"),
        ("(.*)", "\\$1\\\\$1", "t", "$1\\t"),
        ("(a)", "$1\u0661", "a", "a\u0661"),  # not a digit of ASCII
        ("orders", "x", "orders2", "orders2"),  # the whole name has to fit
        ("ORDERS", "x", "orders", "orders"),
    ],
)
def test_a_topic_is_renamed_as_java_would(
    regex: str, replacement: str, topic: str, renamed: str
) -> None:
    assert _routed(regex, replacement, topic) == renamed


@given(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1))
def test_a_quoted_replacement_is_taken_as_it_is(text: str) -> None:
    quoted = "".join("\\" + character for character in text)
    assert _routed("t", quoted, "t") == text


def test_all_but_the_topic_stays_as_it_is() -> None:
    record = Record("t", 1, None, "k", None, "v", [Header("h", None, "x")], 5)
    routed = RegexRouter({"regex": "t", "replacement": "u"}).apply(record)
    assert routed == Record("u", 1, None, "k", None, "v", [Header("h", None, "x")], 5)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"replacement": "x"}, 'Missing required configuration "regex"'),
        ({"regex": "x"}, 'Missing required configuration "replacement"'),
        ({"regex": "(", "replacement": "x"}, "Invalid value ( for configuration regex"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_at_the_start(
    config: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        RegexRouter(config)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("replacement", "message"),
    [
        ("$2", "No group 2"),
        ("$1$3\\", "No group 3"),
        ("${b}", "No group with name {b}"),
        ("${1}", "capturing group name {1} starts with digit character"),
        ("${n", "named capturing group is missing trailing '}'"),
        ("${n_1}", "named capturing group is missing trailing '}'"),
        ("${}", "named capturing group has 0 length name"),
        ("a$b", "Illegal group reference"),
        ("$\u0661", "Illegal group reference"),
        ("a$", "Illegal group reference: group index is missing"),
        ("a\\", "character to be escaped is missing"),
    ],
)
def test_a_replacement_that_cannot_be_made_fails_at_a_topic_that_fits(
    replacement: str, message: str
) -> None:
    """As in Kafka Connect: Java reads the replacement when the expression fits."""
    assert _routed("(?<n>a)", replacement, "other") == "other"
    with pytest.raises(TransformError) as caught:
        _routed("(?<n>a)", replacement, "a")
    assert str(caught.value).startswith(message)
