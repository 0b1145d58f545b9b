"""MySQL's generated invisible primary keys, see ``sql_generate_invisible_primary_key``."""

from __future__ import annotations

from typing import Final

from connector.capture.tables import Column

NAME: Final = "my_row_id"


def may_be_generated_key(column: Column) -> bool:
    """Return whether a key of this column alone may be one that MySQL 8.0.30 or later generated.

    A user may define such a column, too: what differs is its visibility, which is not tracked.
    """
    return column.name.lower() == NAME and column.type_name.upper() == "BIGINT UNSIGNED"
