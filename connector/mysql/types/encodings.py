"""MySQL character sets as Python decoders.

Text in a row image is in the column's character set. The names are MySQL's; the decoders are
those that Java has for them, since Debezium decodes with Java's, and where Python's differ from
Java's in a character, Java's is taken. Where bytes are not valid, U+FFFD stands for them.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping

from connector.codegen import Expression, call

UTF8_TEXT = Expression("{}.decode('utf-8', 'replace')", native=("utf8",))
_CODECS = {
    "armscii8": "cp1252",  # for this and others without a Java equivalent the driver takes cp1252
    "ascii": "ascii",
    "big5": "big5",
    "binary": "iso8859-1",
    "cp1250": "cp1250",
    "cp1251": "cp1251",
    "cp1256": "cp1256",
    "cp1257": "cp1257",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp866": "cp866",
    "cp932": "cp932",
    "dec8": "cp1252",
    "eucjpms": "euc_jp",
    "euckr": "euc_kr",
    "gb18030": "gb18030",
    "gb2312": "gb2312",
    "gbk": "gbk",
    "geostd8": "cp1252",
    "greek": "iso8859-7",
    "hebrew": "iso8859-8",
    "hp8": "cp1252",
    "keybcs2": "cp852",
    "koi8r": "koi8_r",
    "koi8u": "koi8_r",
    "latin1": "cp1252",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "macce": "mac_latin2",
    "macroman": "mac_roman",
    "sjis": "shift_jis",
    "swe7": "cp1252",
    "tis620": "iso8859-11",
    "ujis": "euc_jp",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
}
_OF_SEVERAL_BYTES = frozenset(
    "big5 cp932 euc_jp euc_kr gb18030 gb2312 gbk shift_jis utf-16-le utf-32-be".split()
)
_LONG_DASH = str.maketrans("―", "—")
_GB18030_ADDED = "︐︒︑︓︔︕︖︗︘︙ḿ龴龵龶龷龸龹龺龻"  # since GB 18030-2005, private before
_GB18030_PRIVATE = (
    "\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796"
    "\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864"
)
_CHANGED: dict[str, Mapping[int, int]] = {
    "big5": str.maketrans("╴", "\uff3f"),
    "eucjpms": _LONG_DASH,
    "gb18030": str.maketrans(_GB18030_PRIVATE + _GB18030_ADDED, _GB18030_ADDED + _GB18030_PRIVATE),
    "sjis": _LONG_DASH,
    "tis620": dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    "ujis": _LONG_DASH,
}


def decoder(charset: str | None) -> Expression:
    """Return the expression that decodes bytes of a MySQL character set; UTF-8 if unknown."""
    name = (charset or "utf8mb4").lower()
    if name in ("ucs2", "utf16"):
        return call(_utf16)
    codec = _CODECS.get(name)
    if codec is None:
        return UTF8_TEXT
    errors = f"java-{name}" if name in _MORE else "replace"
    changed = _CHANGED.get(name, {})
    native = None
    if codec not in _OF_SEVERAL_BYTES:
        characters = bytes(range(256)).decode(codec, errors)
        native = ("table", characters.translate(changed))
    if changed:
        return Expression(
            "@f({})", {"f": lambda data: data.decode(codec, errors).translate(changed)}, native
        )
    return Expression("{}.decode(@codec, @errors)", {"codec": codec, "errors": errors}, native)


def _utf16(data: bytes) -> str:
    """Decode big-endian text, unless it starts with a byte order mark."""
    if data[:2] == b"\xff\xfe":
        return data[2:].decode("utf-16-le", "replace")
    return data.removeprefix(b"\xfe\xff").decode("utf-16-be", "replace")


def _gbk(pair: bytes) -> str:
    """Decode a code of the user-defined area: GB 18030 has them at the same places."""
    return pair.decode("gb18030", "replace")


def _eucjpms(pair: bytes) -> str:
    """Decode a code that only Microsoft's character set has: its place there follows by rule."""
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    if row < 0 or not 0 <= cell < 94:
        return "�"
    lead = (row >> 1) + 0x81
    trail = cell + (0x9F if row & 1 else 0x40 + (cell >= 0x3F))
    return bytes((lead + 0x40 * (lead > 0x9F), trail)).decode("cp932", "replace")


def _euckr(pair: bytes) -> str:
    return "㉾" if pair == b"\xa2\xe8" else "�"


_MORE: dict[str, Callable[[bytes], str]] = {"eucjpms": _eucjpms, "euckr": _euckr, "gbk": _gbk}


def _handler(decode: Callable[[bytes], str]) -> Callable[[UnicodeError], tuple[str, int]]:
    """Return an error handler that decodes pairs of bytes which Python does not know."""

    def handle(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        pair = error.object[error.start : error.start + 2]
        character = decode(pair) if len(pair) == 2 else "�"
        if len(character) != 1 or character == "�":
            return "�", error.start + 1
        return character, error.start + 2

    return handle


for _name, _decode in _MORE.items():
    codecs.register_error(f"java-{_name}", _handler(_decode))
