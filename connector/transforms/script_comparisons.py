"""Comparisons and texts of columns in Groovy and JavaScript, as CEL says them."""

from __future__ import annotations

import re
from typing import Final

UNDEFINED_VALUE: Final = b"\xffundefined\xff"
"""What stands for JavaScript's undefined, which CEL does not know: a value that no column has."""
UNDEFINED: Final = r"b'\xffundefined\xff'"
"""The same in CEL."""
_NUMERIC_TEXT: Final = re.compile(r"'(-?(?:0|[1-9]\d*)|)'")
_DECIMAL_TEXT: Final = re.compile(r"'(-?(?:0|[1-9]\d*)(?:\.\d+)?|)'")
_ZERO: Final = r"([-+]?(0+(\.0*)?|\.0+))?"


def order_in_groovy(one: str, sign: str, other: str) -> str:
    """Compare by order where null is less than anything else."""
    less, more = (one, other) if sign in ("<", "<=") else (other, one)
    plain = f"{one} {sign} {other}"
    if sign in ("<", ">"):
        return f"({more} != null && ({less} == null || {plain}))"
    return f"({less} == null || ({more} != null && {plain}))"


def order_in_javascript(one: str, sign: str, other: str) -> str:
    """Compare by order where null is 0, and nothing is true of undefined."""
    plain = f"({one} == null ? 0 : {one}) {sign} ({other} == null ? 0 : {other})"
    return f"({one} != {UNDEFINED} && {other} != {UNDEFINED} && {plain})"


def is_nothing(value: str) -> str:
    """Whether a value is null or undefined."""
    return f"({value} == null || {value} == {UNDEFINED})"


def loosely_equal_columns(one: str, other: str) -> str:
    """Return JavaScript's ``==`` of two columns, which takes null and undefined for equal."""
    return f"({one} == {other} || ({is_nothing(one)} && {is_nothing(other)}))"


def number_of_text(literal: str) -> str | None:
    """Return the number that a literal text is to JavaScript beside a null; None for NaN."""
    text = _DECIMAL_TEXT.fullmatch(literal)
    return None if text is None else text[1] or "0"


def text_of(value: str, *, nothing: bool = True, undefined: bool = False) -> str:
    """Return the text of any value; CEL makes none of null, true and false.

    Without ``nothing`` that of null, or undefined if there is such a value, fails.
    """
    words = ("null", "true", "false") if nothing else ("true", "false")
    cases = "".join(f"{value} == {word} ? '{word}' : " for word in words)
    if undefined:
        absent = "'undefined'" if nothing else "string(null)"
        cases += f"{value} == {UNDEFINED} ? {absent} : "
    return f"({cases}string({value}))"


def loosely_equal(path: str, literal: str) -> str | None:
    """Return JavaScript's ``==`` of a column and a literal; None if it is that of CEL.

    It converts: a text or a truth value equals the number that it means.
    """
    text = _NUMERIC_TEXT.fullmatch(literal)
    if literal == "null" or (literal[0] == "'" and text is None):
        return None
    number = text[1] or "0" if text else {"true": "1", "false": "0"}.get(literal, literal)
    cases = [f"{path} == {literal}"]
    cases += [f"{path} == {truth}" for truth in _truth_values(number) if truth != literal]
    if text:
        # To JavaScript a decimal is 12.00, a text that differs from '12'.
        cases.append(f"(type({path}) == int && {path} == {number})")
    else:
        cases += [f"{path} == {number}"] if number != literal else []
        cases.append(f"(type({path}) == string && {path}.matches({_pattern(number)}))")
    return f"({' || '.join(cases)})"


def _truth_values(number: str) -> list[str]:
    return [truth for truth, value in (("true", 1), ("false", 0)) if float(number) == value]


def _pattern(number: str) -> str:
    """Return the pattern of texts that JavaScript reads as a number, without exponents."""
    if float(number) == 0:
        return _quoted(_ZERO)
    whole, _, fraction = f"{float(number):f}".lstrip("-").partition(".")
    fraction = fraction.rstrip("0")
    digits = f"0*{whole.lstrip('0')}" + (rf"\.{fraction}0*" if fraction else r"(\.0*)?")
    return _quoted(("-" if number[0] == "-" else r"\+?") + digits)


def _quoted(pattern: str) -> str:
    return "'" + rf"^\s*{pattern}\s*$".replace("\\", "\\\\") + "'"
