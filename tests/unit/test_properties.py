"""Java's .properties format and connector files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import ConfigError
from connector.properties import parse_properties, read_connector, read_properties


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", {"a": "1"}),
        ("a:1", {"a": "1"}),
        ("a 1", {"a": "1"}),
        ("a = 1 ", {"a": "1 "}),
        ("  a\t=\f1", {"a": "1"}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("a==1", {"a": "=1"}),
        ("a = = 1", {"a": "= 1"}),
        ("# a=1\n! b=2\n\n   \nc=3", {"c": "3"}),
        ("a=1\r\nb=2\rc=3", {"a": "1", "b": "2", "c": "3"}),
        ("a=1,\\\n   2,\\\n   3", {"a": "1,2,3"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("a=x\\\n# not a comment", {"a": "x# not a comment"}),
        ("a=x\\", {"a": "x"}),
        ("a\\ b\\=c=1", {"a b=c": "1"}),
        ("a=\\t\\n\\r\\f\\q", {"a": "\t\n\r\fq"}),
        ("a=\\u00e9\\u20AC", {"a": "é€"}),
        ("a=\\ud83d\\ude00", {"a": "😀"}),
        ("a=1\na=2", {"a": "2"}),
        ("", {}),
    ],
)
def test_the_format(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


@pytest.mark.parametrize("text", ["a=\\u12", "a=\\uzzzz"])
def test_a_broken_escape_is_reported(text: str) -> None:
    with pytest.raises(ConfigError, match="four hexadecimal digits"):
        parse_properties(text)


_KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
_VALUES = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.dictionaries(_KEYS, _VALUES))
def test_what_java_stores_is_read_back(properties: dict[str, str]) -> None:
    lines = (f"{_escape(key)}={_escape(value)}" for key, value in properties.items())
    assert parse_properties("\n".join(lines)) == properties


def _escape(text: str) -> str:
    """Escape as java.util.Properties.store does, if more than it would."""
    units = text.encode("utf-16-be")
    numbers = [units[at] << 8 | units[at + 1] for at in range(0, len(units), 2)]
    return "".join(
        chr(n) if chr(n).isascii() and chr(n).isalnum() else f"\\u{n:04x}" for n in numbers
    )


@given(st.text())
def test_any_text_gives_properties_or_a_config_error(text: str) -> None:
    try:
        assert isinstance(parse_properties(text), dict)
    except ConfigError as error:
        assert "\\u" in str(error)  # noqa: PT017 — either outcome is right


def test_a_file_in_either_encoding(tmp_path: Path) -> None:
    file = tmp_path / "worker.properties"
    file.write_bytes("a=é".encode())
    assert read_properties(file) == {"a": "é"}
    file.write_bytes("a=é".encode("latin-1"))
    assert read_properties(file) == {"a": "é"}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nope\.properties: cannot be read: No such file"):
        read_properties(tmp_path / "nope.properties")


def test_a_fault_in_a_file_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "worker.properties"
    file.write_text("a=\\u1")
    with pytest.raises(ConfigError, match=r"worker\.properties: The escape"):
        read_properties(file)


def test_a_connector_in_json_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    document = {
        "name": "c",
        "config": {"tasks.max": 1, "flag": True, "none": None, "rate": 1.5, "text": "x"},
        "initial_state": "STOPPED",
        "tasks": [],
    }
    file.write_text(json.dumps(document))
    found = read_connector(file)
    assert (found.name, found.initial_state) == ("c", "STOPPED")
    assert found.config == {
        "tasks.max": "1",
        "flag": "true",
        "none": None,
        "rate": "1.5",
        "text": "x",
    }


def test_a_flat_connector_in_json(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text('{"name": "c", "connector.class": "X"}')
    found = read_connector(file)
    assert (found.name, found.initial_state) == ("c", None)
    assert found.config == {"name": "c", "connector.class": "X"}


def test_a_connector_in_properties(tmp_path: Path) -> None:
    file = tmp_path / "c.properties"
    file.write_text("name=c\nconnector.class=X\n")
    assert read_connector(file).config == {"name": "c", "connector.class": "X"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "not valid JSON"),
        ("[]", "must hold a JSON object"),
        ("{}", "missing the mandatory 'name'"),
        ('{"name": "c", "a": {}}', "'a' must be a text"),
    ],
)
def test_a_bad_connector_file_is_named(tmp_path: Path, content: str, reason: str) -> None:
    file = tmp_path / "c.json"
    file.write_text(content)
    with pytest.raises(ConfigError, match=reason) as caught:
        read_connector(file)
    assert str(file) in str(caught.value)
