"""The text of a MySQL statement as schema histories and schema change events show it.

Debezium's MySQL connector rewrites a statement before it parses it, and records the rewritten
text: strings in double quotes get single quotes (unless sql_mode has ANSI_QUOTES), and window
function names get back quotes where they clearly name a table, a column or a label. MariaDB
statements are recorded as they are. Observed with Debezium 3.6.1.
"""

from __future__ import annotations

import re
from typing import Final

_FUNCTIONS: Final = (
    "CUME_DIST|DENSE_RANK|FIRST_VALUE|JSON_TABLE|LAG|LAST_VALUE|LEAD|NTH_VALUE|NTILE|"
    "PERCENT_RANK|RANK|ROW_NUMBER"
)
_TYPES: Final = (
    "(?:VAR)?CHAR|INT|BIGINT|DECIMAL|NUMERIC|FLOAT|DOUBLE|JSON|TEXT|BLOB|DATE|DATETIME|TIMESTAMP|"
    "TIME|YEAR|ENUM|SET|BINARY|VARBINARY|BIT|BOOL|BOOLEAN"
)
_BEFORE_TABLE: Final = (
    r"(?:CREATE|ALTER|DROP)\s+TABLE|FROM|(?:(?:LEFT|RIGHT|INNER|OUTER)\s+)?JOIN|INTO"
)

_SUSPECT: Final = re.compile(rf'"|\b(?:{_FUNCTIONS})\b', re.IGNORECASE)
_QUOTED: Final = re.compile(
    r"""(?P<kept>--[^\n]* | \#[^\n]* | /\*(?!!).*?\*/
        | '(?:[^'\\]++|\\.|'')*' | `(?:[^`]++|``)*` )
      | "(?P<text>(?:[^"\\]++|\\.|"")*)" """,
    re.VERBOSE | re.DOTALL,
)
_NAMES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (rf"\b({_BEFORE_TABLE})\s+({_FUNCTIONS})\b", r"\1 `\2`"),
        (rf"\b({_FUNCTIONS})\s+({_TYPES})\b", r"`\1` \2"),
        (rf"\b({_FUNCTIONS})\s*:", r"`\1`:"),
    )
)


def recorded_text(ddl: str, *, ansi_quotes: bool = False) -> str:
    """Return ``ddl`` as it is recorded.

    :param ansi_quotes: double quotes enclose names, not strings.
    """
    if _SUSPECT.search(ddl) is None:
        return ddl
    pieces: list[str] = []
    done = 0
    for match in _QUOTED.finditer(ddl):
        pieces.append(_quote_names(ddl[done : match.start()]))
        text = match["text"]
        kept = text is None or ansi_quotes
        pieces.append(match[0] if kept else "'" + text.replace("'", "''") + "'")
        done = match.end()
    pieces.append(_quote_names(ddl[done:]))
    return "".join(pieces)


def _quote_names(sql: str) -> str:
    for pattern, replacement in _NAMES:
        sql = pattern.sub(replacement, sql)
    return sql
