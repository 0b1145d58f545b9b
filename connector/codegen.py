"""Generates Python functions; the only module that compiles source.

Work for one row is decided once per table, or per schema, and written down as straight-line Python
source (docs/decisions/0013-code-generation.md). A writer of source composes lines, gives the
objects that they refer to by name in a dict, and hands both to `compile_function`. No value of a
row and no text of a user becomes source: names of columns appear as quoted literals (`repr`).

Conversions of single values are written as an `Expression`, a small macro language:

``{}``
    stands for the source of the value. Where it is not a plain name and appears several times, the
    value is computed several times; assign it first (``(out := {})``).
``@name``
    stands for an object of ``names``. Each use of an expression in a function gets a prefix of
    its own, so that two columns may use the same name for different objects.

``Expression("@days[{}]", {"days": days})`` for column 3 with the value ``d[p:p + 3]`` becomes
``c3_days[d[p:p + 3]]``. Everything else in a template is Python; braces of its own, as in a dict or
an f-string, are allowed except for ``{}``.

Tracebacks and debuggers show the lines of a generated function: the source is registered with
`linecache` as long as the function lives. To see every function that is compiled, set the level of
the logger ``connector.codegen`` to TRACE.
"""

from __future__ import annotations

import linecache
import logging
import re
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from connector.logs import TRACE

log = logging.getLogger(__name__)

_NAME: Final = re.compile(r"@(\w+)")
_FUNCTION: Final = re.compile(r"def (\w+)\(")
_numbers = count(1)


def compile_function(lines: Iterable[str], names: dict[str, Any]) -> Callable[..., Any]:
    """Compile the source of one function.

    :param lines: the source; the first line is ``def name(…):``.
    :param names: the objects that it refers to; they become its globals.
    """
    source = "\n".join(lines)
    opening = _FUNCTION.match(source)
    assert opening is not None, "generated source begins with def"
    # no angle brackets: for `linecache` these mark files without lines
    filename = f"generated/{opening[1]}-{next(_numbers)}.py"
    exec(compile(source, filename, "exec"), names)  # noqa: S102 - see the module's docstring
    function: Callable[..., Any] = names.pop(opening[1])
    linecache.cache[filename] = (lambda: source,)  # split into lines when it is read
    weakref.finalize(function, linecache.cache.pop, filename, None).atexit = False
    log.log(TRACE, "%s:\n%s", filename, source)
    return function


def source_of(function: Callable[..., Any]) -> str:
    """Return the source of a generated function."""
    return "".join(linecache.getlines(function.__code__.co_filename))


@dataclass(frozen=True, slots=True)
class Expression:
    """A conversion as a piece of Python source, to be written into a generated function.

    ``template`` and ``names`` are in the language that the module describes. Source in place of
    a function saves a call per column and row. ``native`` names the operation of the native core
    that gives the same, or leaves the value to the source (`connector.native`).
    """

    template: str = "{}"
    names: Mapping[str, Any] = field(default_factory=dict)
    native: tuple[Any, ...] | None = None

    def source(self, value: str, prefix: str, namespace: dict[str, Any]) -> str:
        """Return the source for a value.

        :param value: the source of the value.
        :param prefix: makes the names of the expression unique in the function.
        :param namespace: receives the objects of the names.
        """

        def unique(match: re.Match[str]) -> str:
            name = f"{prefix}_{match[1]}"
            namespace[name] = self.names[match[1]]
            return name

        return _NAME.sub(unique, self.template).replace("{}", value)

    def then(self, after: Expression | None) -> Expression:
        """Return the conversion followed by another one, which is skipped for None."""
        if after is None:
            return self
        number = len(self.names)  # the other one may use names of this one for objects of its own
        then = _NAME.sub(rf"@\1_{number}", after.template).replace("{}", "value")
        names = {f"{name}_{number}": target for name, target in after.names.items()}
        template = f"(None if (value := {self.template}) is None else {then})"
        return Expression(template, {**self.names, **names})

    def applied_to(self, inner: Expression) -> Expression:
        """Return the conversion of what another expression results in, None included."""
        number = len(inner.names)  # this one may use names of the other for objects of its own
        outer = _NAME.sub(rf"@\1_{number}", self.template).replace("{}", inner.template)
        names = {f"{name}_{number}": target for name, target in self.names.items()}
        return Expression(outer, {**inner.names, **names})

    def function(self) -> Callable[[Any], Any]:
        """Return the conversion as a function of one value (not None)."""
        namespace: dict[str, Any] = {}
        body = self.source("value", "n", namespace)
        return compile_function(["def convert(value):", f"    return {body}"], namespace)


def call(function: Callable[[Any], Any], native: tuple[Any, ...] | None = None) -> Expression:
    """Return the expression that calls a function with the value."""
    return Expression("@f({})", {"f": function}, native)
