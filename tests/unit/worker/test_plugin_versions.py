"""Requirements of versions, with the answers that Maven's classes give."""

from __future__ import annotations

from itertools import pairwise

import pytest

from connector.worker.plugin_versions import VersionError, version_fault


@pytest.mark.parametrize(
    "required",
    [
        "latest", "3.6.1.Final", "3.6.1", " 3.6.1.0 ", "[3.6,4)", "(,3.6.1]", "(,)", "[3.6.1]",
        "[3.6.1-rc1,3.6.1-1)", "[1,2],(3.6,4]", "[3,4],", "(3.6.1-CR2,3.6.2-a1)",
    ],
)  # fmt: skip
def test_requirements_that_a_version_meets(required: str) -> None:
    assert version_fault("C", "3.6.1.Final", required) is None


@pytest.mark.parametrize(
    ("required", "shown"),
    [
        ("9", "[9,9]"),
        ("3.6.1.Beta1", "[3.6.1.Beta1,3.6.1.Beta1]"),
        ("3.6.1-1", "[3.6.1-1,3.6.1-1]"),
        ("[3.6,3.6.1)", "[3.6,3.6.1)"),
        ("(3.6.1,)", "(3.6.1,)"),
        ("[3.10,4)", "[3.10,4)"),
        ("[1,2],[2,3]", "[1,2],[2,3]"),
        ("", "[,]"),
    ],
)
def test_requirements_that_a_version_does_not_meet(required: str, shown: str) -> None:
    assert version_fault("C", "3.6.1.Final", required) == (
        f"Plugin C not found that matches the version range {shown}, "
        "available versions: [3.6.1.Final]"
    )


@pytest.mark.parametrize(
    ("required", "reason"),
    [
        ("[1", "Unbounded range: [1"),
        ("(1)", "Single version must be surrounded by []: (1)"),
        ("[2,1]", "Range defies version ordering: [2,1]"),
        ("(1,1]", "Range defies version ordering: (1,1]"),
        ("[1,3],[2,4]", "Ranges overlap: [1,3],[2,4]"),
        ("[1,2]x", "Only fully-qualified sets allowed in multiple set scenario: [1,2]x"),
        ("1]", "Only fully-qualified sets allowed in multiple set scenario: [1]]"),
    ],
)
def test_requirements_that_cannot_be_read(required: str, reason: str) -> None:
    with pytest.raises(VersionError) as caught:
        version_fault("C", None, required)
    assert str(caught.value) == reason


def test_a_plugin_without_a_version_meets_every_requirement() -> None:
    assert version_fault("C", None, "9") is None


@pytest.mark.parametrize(
    "versions", ["1-a1 1-beta-2 1-m3 1-rc1 1-snapshot 1 1-sp 1-foo 1-1 1.1 1.9 1.10 2.0b3 2"]
)
def test_versions_in_order(versions: str) -> None:
    for lower, upper in pairwise(versions.split()):
        assert version_fault("C", upper, f"({lower},)") is None
        assert version_fault("C", lower, f"[{upper},)") is not None
