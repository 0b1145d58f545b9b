"""Symbolic values, by which transforms are compiled.

A compilable transform never looks at a single value of a row. It moves values, leaves them out, or
has them changed by the functions of this module. Such a transform can run once on a record
whose values are `Symbol`s: the result shows what it does to every row of that kind, and is
written down as source. Whatever else is done to a symbol raises `NotCompilableError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Never

from connector.codegen import Expression

CONSTANT: Final = 0
EVENT: Final = 1
ROW: Final = 2


class NotCompilableError(Exception):
    """The result of a transform depends on a value: its records take the generic path."""


class Symbol:
    """A value that is known when a row is: an expression without ``{}``.

    ``scope`` is `EVENT` if all rows of one event of the log have the same value, else `ROW`.
    ``calls`` receives the symbols of calls, which may fail for a row: also those that a later
    transform leaves out. ``inner`` is the symbol that was changed.
    """

    __slots__ = ("calls", "expression", "inner", "scope")

    def __init__(
        self, expression: Expression, scope: int, calls: list[Symbol], inner: Symbol | None = None
    ) -> None:
        self.expression = expression
        self.scope = scope
        self.calls = calls
        self.inner = inner

    def changed(self, change: Expression) -> Symbol:
        """Return the symbol of the changed value."""
        return Symbol(change.applied_to(self.expression), self.scope, self.calls, self)

    def called(self, change: Expression) -> Symbol:
        """Return the symbol of the value that a function returns, and note that it is called."""
        symbol = self.changed(change)
        self.calls.append(symbol)
        return symbol

    def _refuse(self, *_: object) -> Never:
        raise NotCompilableError("a transform depends on a value")

    __bool__ = __eq__ = __ne__ = __hash__ = __str__ = __format__ = __getattr__ = _refuse


def scope_of(value: Any) -> int:
    """Return what a value depends on."""
    if isinstance(value, Symbol):
        return value.scope
    if isinstance(value, dict):
        return max(map(scope_of, value.values()), default=CONSTANT)
    return CONSTANT


def require_known(value: Any) -> Any:
    """Return a value that the transform looks at.

    :raises NotCompilableError: it is a symbol.
    """
    if value.__class__ is Symbol:
        raise NotCompilableError("a transform depends on a value")
    return value


def or_default(value: Any, default: Any) -> Any:
    """Return the default in place of a null."""
    if value is None:
        return default
    if default is not None and value.__class__ is Symbol:
        change = Expression("(@d if (v := {}) is None else v)", {"d": default})
        return value.changed(change)
    return value


def call(function: Callable[[Any], Any], value: Any) -> Any:
    """Return what a function without side effects returns for a value."""
    if value.__class__ is Symbol:
        return value.called(Expression("@f({})", {"f": function}))
    return function(value)


def call_unless_null(function: Callable[[Any], Any], value: Any) -> Any:
    """Return what a function without side effects returns; null stays null."""
    if value.__class__ is Symbol:
        change = Expression("(None if (v := {}) is None else @f(v))", {"f": function})
        return value.called(change)
    return None if value is None else function(value)


def replace_unless_null(replacement: Any, value: Any) -> Any:
    """Return the replacement; null stays null."""
    if value.__class__ is Symbol:
        return value.changed(Expression("(None if {} is None else @r)", {"r": replacement}))
    return None if value is None else replacement
