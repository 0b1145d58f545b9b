"""The translated parts of a script, and how they are composed to CEL."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from connector.errors import ConfigError
from connector.transforms.script_comparisons import (
    loosely_equal,
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
    """Compare a path with a literal as JavaScript's ``==`` does; None if CEL's does the same."""
    path, literal = (one, other) if one.path else (other, one)
    if not path.path or not literal.literal or path.is_text:
        return None
    loose = loosely_equal(path.text, literal.text)
    return None if loose is None else Node(loose if sign == "==" else f"!{loose}", SIGN)


def equal_ignoring_case(node: Node, literal: Node) -> Node:
    """Compare a text with a literal, in any case."""
    pattern = re.escape(literal.text[1:-1])
    return Node(f"{node.at(MEMBER)}.matches({quoted(f'(?i)^{pattern}$')})")


def compare_order(one: Node, sign: str, other: Node, *, groovy: bool) -> Node:
    """Compare by order: in both languages a null does not fail, but in CEL it does."""
    plain = f"{one.at(SUM)} {sign} {other.at(SUM)}"
    if not (one.path or other.path):
        return Node(plain, COMPARISON)
    if one.path and other.path:
        compare = order_in_groovy if groovy else order_in_javascript
        return Node(compare(one.text, sign, other.text))
    path = one if one.path else other
    number = None if groovy else _number_beside_null(other if one.path else one)
    if number is not None:
        null = f"0 {sign} {number}" if one.path else f"{number} {sign} 0"
        return Node(f"({path.text} == null ? {null} : {plain})")
    # To Groovy a null is less than anything else.
    if groovy and (sign in ("<", "<=")) == one.path:
        return Node(f"({path.text} == null || {plain})")
    return Node(f"({path.text} != null && {plain})")


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


def as_text(node: Node, *, groovy: bool, null: bool = True) -> Node:
    """Return a node as a text."""
    if node.is_text:
        return node
    if node.literal and (groovy or not node.number):
        return Node(quoted(node.text), is_text=True)
    if node.number:
        return Node(f"string({node.text})", is_text=True)
    return Node(text_of(node.at(MEMBER), null=null), is_text=True)
