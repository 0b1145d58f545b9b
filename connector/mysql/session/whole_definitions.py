"""Settings of a session in which the server shows whole definitions of tables.

Some modes of ``sql_mode`` make SHOW CREATE TABLE leave out character sets and AUTO_INCREMENT, in
MySQL before 8.0 and MariaDB; MySQL from 8.0.30 can hide the keys that it generates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

_MODE, _GENERATED = "sql_mode", "show_gipk_in_create_table_and_information_schema"
VARIABLES: Final = (_MODE, _GENERATED)
"""The variables that the settings depend on; a server has some of them."""

# The modes of other databases contain the NO_…_OPTIONS.
_SHORTENING: Final = frozenset(
    """NO_FIELD_OPTIONS NO_KEY_OPTIONS NO_TABLE_OPTIONS
    DB2 MAXDB MSSQL MYSQL323 MYSQL40 ORACLE POSTGRESQL""".split()
)


def whole_definitions(variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the statements that make definitions whole.

    :param variables: the values of `VARIABLES` in the session.
    """
    modes = variables.get(_MODE, "").split(",")
    kept = [mode for mode in modes if mode.upper() not in _SHORTENING]
    if kept != modes:
        yield f"SET SESSION sql_mode = '{','.join(kept)}'"
    if variables.get(_GENERATED, "ON").upper() == "OFF":
        yield f"SET SESSION {_GENERATED} = ON"
