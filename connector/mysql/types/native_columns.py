"""Describes columns to the native core, from what the decoders in Python know of them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from connector import native
from connector.codegen import Expression
from connector.mysql.types.fields import Fixed, LogField

_UNCHANGED = {"f": ("float",), "d": ("double",)}


class _Conversion:
    """A conversion that is compiled when it is first called: most columns never need it."""

    __slots__ = ("_expression", "_function")

    def __init__(self, expression: Expression) -> None:
        self._expression = expression
        self._function: Callable[[Any], Any] | None = None

    def __call__(self, value: Any) -> Any:
        if self._function is None:
            self._function = self._expression.function()
        return self._function(value)


def image_column(field: LogField, convert: Expression, slot: int | None) -> native.NativeColumn:
    """Describe a column of row images; a slot of None is skipped."""
    if isinstance(field, Fixed):
        prefixed, code, size = False, field.format, struct.calcsize("<" + field.format)
    else:
        prefixed, code, size = True, "s", field.width
    return prefixed, size, code, _operation(convert, code), slot, _Conversion(convert)


def text_column(convert: Expression, slot: int | None) -> native.NativeColumn:
    """Describe a column of a text result set; a slot of None is skipped."""
    return True, 1, "s", _operation(convert, "s"), slot, _Conversion(convert)


def _operation(convert: Expression, code: str) -> native.NativeOperation | None:
    if convert.native is not None or convert.template != "{}":
        return convert.native
    if code[-1] == "s":
        return ("bytes",)
    return _UNCHANGED.get(code) or (("signed",) if code.islower() else ("unsigned",))
