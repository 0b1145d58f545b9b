"""Headers of every answer that no answer can carry."""

from __future__ import annotations

import pytest

from connector.errors import ConfigError
from restapi.headers import parse_rules


@pytest.mark.parametrize(
    "rule",
    [
        "set X-Note: prix 5 €",
        "add X-€: a",
        "set X-Two: a\nX-Three: b",
        "set X(y): a",
        "setDate X-Date: 300000000000000",
    ],
)
def test_a_header_that_http_cannot_carry_is_refused_at_the_start(rule: str) -> None:
    """Every request would fail otherwise."""
    with pytest.raises(ConfigError, match=r"for configuration response\.http\.headers\.config"):
        parse_rules(f'"{rule}"')


def test_a_header_with_an_accent_is_sent() -> None:
    (rule,) = parse_rules("set X-Note: crème")
    assert (rule.name, rule.value) == ("X-Note", "crème")
