"""MySQL character sets as Python decoders.

Text in a row image is in the column's character set. The names are MySQL's; the decoders are
those that Java has for them, since Debezium decodes with Java's. Where the bytes are not valid
in the character set, U+FFFD stands for them, as in Java.
"""

from __future__ import annotations

from connector.capture.columns import Expression, call

_UTF8 = Expression("{}.decode('utf-8', 'replace')")
_CODECS = {
    "armscii8": "iso8859-1",
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
    "dec8": "iso8859-1",
    "eucjpms": "euc_jp",
    "euckr": "euc_kr",
    "gb18030": "gb18030",
    "gb2312": "gb2312",
    "gbk": "gbk",
    "geostd8": "iso8859-1",
    "greek": "iso8859-7",
    "hebrew": "iso8859-8",
    "hp8": "iso8859-1",
    "keybcs2": "iso8859-1",
    "koi8r": "koi8_r",
    "koi8u": "koi8_r",
    "latin1": "cp1252",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "macce": "mac_latin2",
    "macroman": "mac_roman",
    "sjis": "shift_jis",
    "swe7": "iso8859-1",
    "tis620": "tis_620",
    "ucs2": "utf-16-be",
    "ujis": "euc_jp",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
}


def decoder(charset: str | None) -> Expression:
    """Return the expression that decodes bytes of a MySQL character set; UTF-8 if unknown."""
    codec = _CODECS.get((charset or "utf8mb4").lower())
    if codec is None:
        return _UTF8
    return call(lambda data: data.decode(codec, "replace"))
