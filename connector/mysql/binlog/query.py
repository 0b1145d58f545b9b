"""The text of a statement in the log, and the settings of the session that ran it.

A query event has status variables: a code of one byte and a value whose form depends on the code.
The SQL mode and the character set of the client stand among the first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_SQL_MODE, _CHARSET = 1, 4
_SIZES: Final = {0: 4, _SQL_MODE: 8, 3: 4, _CHARSET: 6}  # bytes of a value
_NAMED: Final = 6  # the catalog, with its length before it
_MADE_BY_SERVER: Final = b"` (\n  `"  # as SHOW CREATE TABLE writes it

# The collations that stand for the character sets a client can have, when SET NAMES or a driver
# chooses one, and Python's names for those. All others are UTF-8.
_CLIENT_CODECS: Final = {
    1: "big5",
    3: "latin-1",
    4: "cp850",
    6: "hp_roman8",
    7: "koi8_r",
    8: "cp1252",
    9: "iso8859-2",
    10: "ascii",
    12: "euc_jp",
    13: "shift_jis",
    16: "iso8859-8",
    18: "tis_620",
    19: "euc_kr",
    22: "koi8_u",
    24: "gb2312",
    25: "iso8859-7",
    26: "cp1250",
    28: "gbk",
    30: "iso8859-9",
    32: "latin-1",
    36: "cp866",
    37: "cp852",
    38: "mac_latin2",
    39: "mac_roman",
    40: "cp852",
    41: "iso8859-13",
    47: "cp1252",
    51: "cp1251",
    57: "cp1256",
    59: "cp1257",
    92: "latin-1",
    95: "cp932",
    97: "euc_jp",
    248: "gb18030",
}


class QuerySession(NamedTuple):
    """``sql_mode`` holds the server's bits, None where the event lacks them."""

    sql_mode: int | None = None
    codec: str | None = None


def session_of(status: bytes) -> QuerySession:
    """Read the status variables as far as they are needed.

    Their order is that of the codes for all that matters here; the first unknown one ends it.
    """
    sql_mode: int | None = None
    codec: str | None = None
    at = 0
    while at < len(status):
        code, at = status[at], at + 1
        if code == _NAMED:
            at += 1 + status[at]
            continue
        size = _SIZES.get(code)
        if size is None:
            break
        if code == _SQL_MODE:
            sql_mode = int.from_bytes(status[at : at + size], "little")
        elif code == _CHARSET:
            number = int.from_bytes(status[at : at + 2], "little")
            codec = _CLIENT_CODECS.get(number)
        at += size
    return QuerySession(sql_mode, codec)


def text_of(sql: bytes, codec: str | None) -> str:
    """Decode a statement, which is logged in the character set of the client.

    The server's own text for CREATE TABLE … AS SELECT is UTF-8, whatever the client uses.

    :param codec: Python's name of the character set; None is UTF-8.
    """
    if codec is not None and _MADE_BY_SERVER not in sql:
        return sql.decode(codec, "replace")
    try:
        return sql.decode("utf-8")
    except UnicodeDecodeError:
        return sql.decode(codec or "utf-8", "replace")
