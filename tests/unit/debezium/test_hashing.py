"""Hashes of texts, as Java makes them."""

from __future__ import annotations

import hashlib

import pytest

from connector.debezium.hashing import hasher, serialize
from connector.errors import ConfigError


def test_version_1_hashes_the_serialized_text() -> None:
    data = b"salt\xac\xed\x00\x05t\x00\x06secret"
    assert hasher("key", "SHA-256", "salt", 1)("secret") == hashlib.sha256(data).hexdigest()


def test_version_2_hashes_the_text() -> None:
    assert hasher("key", "md5", "salt", 2)("ü") == hashlib.md5("saltü".encode()).hexdigest()


def test_java_writes_its_own_utf8() -> None:
    assert serialize("a\0😀")[5:] == b"\x00\x09a\xc0\x80\xed\xa0\xbd\xed\xb8\x80"


def test_a_long_text_has_a_long_length() -> None:
    assert serialize("x" * 65_535)[:7] == b"\xac\xed\x00\x05t\xff\xff"
    assert serialize("x" * 65_536)[:13] == b"\xac\xed\x00\x05|\0\0\0\0\0\x01\0\0"


def test_an_unknown_algorithm_is_refused_without_the_salt() -> None:
    with pytest.raises(ConfigError, match="SHA-257") as caught:
        hasher("column.mask.hash", "SHA-257", "pepper", 1)
    assert "pepper" not in str(caught.value)
