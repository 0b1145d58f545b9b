"""Character sets and the collations that belong to them."""

from __future__ import annotations

from typing import Final

_NAMES: Final = """
    armscii8 ascii big5 binary cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 cp932 dec8 eucjpms
    euckr gb18030 gb2312 gbk geostd8 greek hebrew hp8 keybcs2 koi8r koi8u latin1 latin2 latin5
    latin7 macce macroman sjis swe7 tis620 ucs2 ujis utf16 utf16le utf32 utf8mb3 utf8mb4"""
CHARSETS: Final = frozenset(_NAMES.split())


def charset_of_collation(collation: str) -> str | None:
    """Return the charset that a collation belongs to, None for one that Debezium does not know.

    A collation is named for its charset. Debezium's tables lack the old names ``utf8_…`` and
    MariaDB's ``…_uca1400_…``: it takes such columns to have the charset of their table.
    """
    name = collation.lower()
    charset = name.partition("_")[0]
    known = charset in CHARSETS and "_uca1400_" not in name
    return charset if known else None


def server_charset_of(collation: str | None) -> str | None:
    """Return the charset that the servers give a column of a collation.

    None without one, for DEFAULT, and for MariaDB's ``uca1400_…``, which suit several charsets:
    the column then has the charset of its table.
    """
    charset = (collation or "").strip("'\"`").lower().partition("_")[0]
    return charset if charset in CHARSETS or charset == "utf8" else None
