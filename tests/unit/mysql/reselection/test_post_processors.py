"""The settings of ``post.processors``, and which of them are refused."""

from __future__ import annotations

import pytest

from connector.mysql.reselection.post_processors import post_processor_faults, post_processors

TYPE = "io.debezium.processors.reselect.ReselectColumnsPostProcessor"


@pytest.mark.parametrize("prefix", ["post.processors.again.", "again."])
def test_settings_in_both_forms(prefix: str) -> None:
    (found,) = post_processors(
        {
            "post.processors": " again ",
            f"{prefix}type": TYPE,
            f"{prefix}reselect.columns.include.list": r"d\.t:(a|b),d\.u:.*",
            f"{prefix}reselect.unavailable.values": "FALSE",
            f"{prefix}reselect.null.values": "true",
            f"{prefix}reselect.use.event.key": "true",
            f"{prefix}reselect.error.handling.mode": "fail",
        }
    )
    assert (found.unavailable, found.nulls, found.event_key, found.fails) == (
        False,
        True,
        True,
        True,
    )
    names = ("d.t:a", "D.T:B", "d.t:c", "d.u:any", "d.t.a")
    assert list(map(found.includes, names)) == [True, True, False, True, False]


def test_defaults() -> None:
    (found,) = post_processors({"post.processors": "p", "p.type": TYPE})
    assert (found.unavailable, found.nulls, found.event_key, found.fails) == (
        True,
        True,
        False,
        False,
    )
    assert found.includes("d.t:a")


def test_what_is_included_counts_before_what_is_excluded() -> None:
    lists = {"p.reselect.columns.exclude.list": "d.t:a"}
    config = {"post.processors": "p", "p.type": TYPE, **lists}
    (found,) = post_processors(config)
    assert [found.includes("d.t:a"), found.includes("d.t:b")] == [False, True]
    (found,) = post_processors(config | {"p.reselect.columns.include.list": "d.t:a"})
    assert [found.includes("d.t:a"), found.includes("d.t:b")] == [True, False]


def test_several_are_applied_in_their_order() -> None:
    config = {"post.processors": "p,q", "p.type": TYPE, "q.type": TYPE}
    config |= {"q.reselect.null.values": "false"}
    assert [found.nulls for found in post_processors(config)] == [True, False]


def test_without_any_nothing_is_done() -> None:
    assert post_processors({}) == []
    assert post_processor_faults({}) == {}


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({}, "'post.processors.p.type' value is invalid: A value is required"),
        ({"p.type": "com.example.Mine"}, "not supported: the only post-processor is"),
        ({"p.reselect.null.values": "yes"}, "String must be one of: true, false"),
        ({"p.reselect.error.handling.mode": "skip"}, "String must be one of: warn, fail"),
        ({"p.reselect.columns.include.list": "("}, "not a regular expression"),
        ({"p.reselect.nul.values": "true"}, "p.reselect.nul.values: "),
    ],
)
def test_what_cannot_be_used_is_refused(config: dict[str, str], text: str) -> None:
    known = {"p.type": TYPE} if config else {}
    found = post_processor_faults({"post.processors": "p", **known, **config})
    assert text in found["post.processors"]
