"""What becomes of a value that the events have no form for.

Debezium leaves the field out then, or fails (``event.converting.failure.handling.mode``). A field
that is left out is null; where it cannot be null and has no default, Connect's converters refuse
the record, so the task fails whatever the mode.
"""

from __future__ import annotations

import logging
from typing import Any, Protocol

from connector.capture.tables import Column
from connector.errors import ConversionError
from connector.mysql.types.type_options import TypeOptions

log = logging.getLogger(__name__)


class Refuse(Protocol):
    """Gives null for a value, with a word to the log, or raises."""

    def __call__(self, reason: str) -> Any | None:
        """Give null.

        :raises ConversionError: null will not do.
        """


_LEVELS = {"warn": logging.WARNING, "skip": logging.DEBUG}


def refusing(column: Column, options: TypeOptions, *, has_stand_in: bool = False) -> Refuse:
    """Return what is called, with the reason, in place of a conversion: it gives null or raises.

    :param has_stand_in: where the column cannot be null there is something else to write.
    """
    may_miss = has_stand_in or column.optional or column.default is not None
    level = _LEVELS.get(options.on_failure) if may_miss else None

    def refuse(reason: str) -> None:
        text = f"a value of column {column.name} ({column.type_name}) cannot be written: {reason}"
        if level is None:
            raise ConversionError(text, _remedy(may_miss=may_miss))
        log.log(level, "%s%s; the field is null", text[0].upper(), text[1:])

    return refuse


def _remedy(*, may_miss: bool) -> str:
    if may_miss:
        return "Set event.converting.failure.handling.mode=warn to write null instead."
    return (
        "The column cannot be null: choose a mode that has a form for the value (such as another "
        "time.precision.mode), or leave the column out by column.exclude.list."
    )
