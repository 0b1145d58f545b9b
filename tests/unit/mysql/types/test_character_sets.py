"""Decoders of MySQL's character sets: what Java makes of the bytes."""

from __future__ import annotations

import pytest

from connector.mysql.types.encodings import decoder


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        (None, "c3bc", "ü"),
        ("unheard_of", "c3bc", "ü"),
        ("latin1", "80fc", "€ü"),
        ("hp8", "80", "€"),
        ("keybcs2", "80", "Ç"),
        ("tis620", "80a0a1", "�\xa0ก"),
        ("big5", "a15a", "\uff3f"),
        ("sjis", "815c", "—"),
        ("ujis", "a1bd", "—"),
        ("eucjpms", "ada1fcfe", "①\uff02"),
        ("eucjpms", "ff41", "�A"),
        ("euckr", "a2e8b0a1", "㉾가"),
        ("gbk", "a140b0a1", "\ue4c6啊"),
        ("gbk", "b0", "�"),
        ("gb18030", "a6d9fe598135f437", "︐龴\ue7c7"),
        ("ucs2", "feff00e9", "é"),
        ("utf16", "fffee900", "é"),
        ("utf16", "d83dde00", "😀"),
        ("utf16le", "3dd800de", "😀"),
        ("utf32", "0001f600", "😀"),
        ("binary", "ff", "ÿ"),
    ],
)
def test_decoding(charset: str | None, data: str, text: str) -> None:
    assert decoder(charset).function()(bytes.fromhex(data)) == text
