"""The translated parts of a script, and how they are composed to CEL."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from connector.errors import ConfigError
from connector.transforms.script_comparisons import (
    UNDEFINED,
    is_nothing,
    loosely_equal,
    loosely_equal_columns,
    number_of_text,
    order_in_groovy,
    order_in_javascript,
    text_of,
)
from connector.transforms.script_tokens import quoted

_MAX_LENGTH: Final = 20_000
TOO_LONG: Final = "It is too long or nested too deeply."
TERNARY, OR, AND, COMPARISON, SUM, PRODUCT, SIGN, MEMBER = range(8)


class Node(NamedTuple):
    """A translated part: how tight it binds, and whether it is a literal, a text, a path.

    ``number`` marks literal numbers and lists that hold one.
    """

    text: str
    binding: int = MEMBER
    literal: bool = False
    is_text: bool = False
    path: bool = False
    number: bool = False

    def at(self, binding: int) -> str:
        """Return the source where something that binds so tight stands."""
        return self.text if self.binding >= binding else f"({self.text})"


def bounded(node: Node) -> Node:
    """Return a node that what follows may repeat, as ``?.`` and ``toString`` do.

    :raises ConfigError: its source is too long for that.
    """
    if len(node.text) > _MAX_LENGTH:
        raise ConfigError(TOO_LONG)
    return node


def equal_loosely(one: Node, sign: str, other: Node) -> Node | None:
    """Compare as JavaScript's ``==`` does; None if CEL's does the same."""
    path, literal = (one, other) if one.path else (other, one)
    same: str | None = None
    if one.path and other.path:
        same = loosely_equal_columns(one.text, other.text)
    elif path.path and literal.literal and not path.is_text:
        nothing = literal.text in ("null", UNDEFINED)
        same = is_nothing(path.text) if nothing else loosely_equal(path.text, literal.text)
    return None if same is None else Node(same if sign == "==" else f"!{same}", SIGN)


def equal_ignoring_case(node: Node, literal: Node) -> Node:
    """Compare a text with a literal, in any case."""
    pattern = re.escape(literal.text[1:-1])
    return Node(f"{node.at(MEMBER)}.matches({quoted(f'(?i)^{pattern}$')})")


def compare_order(one: Node, sign: str, other: Node, *, groovy: bool) -> Node:
    """Compare by order: in both languages a null does not fail, but in CEL it does."""
    plain = f"{one.at(SUM)} {sign} {other.at(SUM)}"
    if UNDEFINED in (one.text, other.text):
        return Node("false")
    if not (one.path or other.path):
        return Node(plain, COMPARISON)
    if one.path and other.path:
        compare = order_in_groovy if groovy else order_in_javascript
        return Node(compare(one.text, sign, other.text))
    path = one if one.path else other
    if not groovy:
        return Node(_order_beside_number(path.text, one, sign, other, plain))
    # To Groovy a null is less than anything else.
    if (sign in ("<", "<=")) == one.path:
        return Node(f"({path.text} == null || {plain})")
    return Node(f"({path.text} != null && {plain})")


def _order_beside_number(path: str, one: Node, sign: str, other: Node, plain: str) -> str:
    """Compare a path with something else in JavaScript."""
    number = _number_beside_null(other if one.path else one)
    if number is None:
        return f"(!{is_nothing(path)} && {plain})"
    null = f"0 {sign} {number}" if one.path else f"{number} {sign} 0"
    return f"({path} == null ? {null} : {path} != {UNDEFINED} && {plain})"


def _number_beside_null(node: Node) -> str | None:
    """Return what JavaScript compares with a null, which is 0 there; None if the null decides."""
    if node.is_text:
        return number_of_text(node.text) if node.literal else None
    return node.at(SUM)


def item_of(node: Node, index: Node) -> Node:
    """Return an item of a map or a list; a missing header is null."""
    item = f"{node.at(MEMBER)}[{index.text}]"
    if node.text in ("headers", "header"):
        return Node(f"({index.text} in {node.text} ? {item} : null)", path=True)
    return Node(item, path=True)


def member_unless_nothing(node: Node, member: Node, *, groovy: bool) -> Node:
    """Return what ``?.`` does: a member, or null or undefined where there is nothing."""
    if groovy:
        return Node(f"({node.text} == null ? null : {member.text})", path=True)
    return Node(f"({is_nothing(node.text)} ? {UNDEFINED} : {member.text})", path=True)


def as_text(node: Node, *, groovy: bool, nothing: bool = True) -> Node:
    """Return a node as a text; without ``nothing`` that of null fails."""
    if node.is_text:
        return node
    if node.text == UNDEFINED:
        return Node(quoted("undefined"), is_text=True)
    if node.literal and (groovy or not node.number):
        return Node(quoted(node.text), is_text=True)
    if node.number:
        return Node(f"string({node.text})", is_text=True)
    text = text_of(node.at(MEMBER), nothing=nothing, undefined=not groovy)
    return Node(text, is_text=True)
