"""Translates the usual one-liners in Groovy and JavaScript to CEL.

Only expressions about a record are understood: comparisons, ``&&``, ``||``, ``!``, ``?:``, members,
and a few methods of texts. The page on Debezium's transforms lists the differences in meaning.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from connector.errors import ConfigError
from connector.transforms.cel_expression import VARIABLES
from connector.transforms.script_comparisons import (
    loosely_equal,
    order_in_groovy,
    order_in_javascript,
    text_of,
)
from connector.transforms.script_tokens import (
    Token,
    is_computed,
    parts_of,
    quoted,
    tokens_of,
    unquoted,
)

LANGUAGES: Final = {
    "jsr223.groovy": "groovy",
    **dict.fromkeys(
        ("jsr223.graal.js", "jsr223.js", "jsr223.javascript", "jsr223.nashorn"), "javascript"
    ),
}
_CONSTANTS: Final = {"true": "true", "false": "false", "null": "null", "undefined": "null"}
_EQUALITY: Final = {"==": "==", "!=": "!="}
_STRICT: Final = {"===": "==", "!==": "!="}  # of JavaScript; Groovy compares references
_ORDER: Final = ("<", "<=", ">", ">=")
_GETTERS: Final = frozenset(
    "get getString getInt8 getInt16 getInt32 getInt64 getFloat32 getFloat64 getBoolean getStruct "
    "getWithoutDefault".split()
)
_TEXT_METHODS: Final = {
    "startsWith": "startsWith", "endsWith": "endsWith", "contains": "contains",
    "includes": "contains",
}  # fmt: skip
_TERNARY, _OR, _AND, _COMPARISON, _SUM, _PRODUCT, _SIGN, _MEMBER = range(8)


class _Node(NamedTuple):
    """A translated part: how tight it binds, and whether it is a literal, a text, a path.

    ``number`` marks literal numbers and lists that hold one.
    """

    text: str
    binding: int = _MEMBER
    literal: bool = False
    is_text: bool = False
    path: bool = False
    number: bool = False

    def at(self, binding: int) -> str:
        """Return the source where something that binds so tight stands."""
        return self.text if self.binding >= binding else f"({self.text})"


def translate(expression: str, language: str, *, similar: bool = False) -> str:
    """Return an expression in CEL; a ``similar`` one may differ for some values.

    :raises ConfigError: it is not understood, or means something that CEL cannot say.
    """
    parser = _Parser(tokens_of(expression), language, similar=similar)
    node = parser.ternary()
    parser.expect("end", "the end")
    return node.text


class _Parser:
    """A parser by recursive descent; a method for each level of binding."""

    def __init__(self, tokens: list[Token], language: str, *, similar: bool) -> None:
        self._tokens = tokens
        self._language = language
        self._groovy = LANGUAGES[language] == "groovy"
        self._similar = similar
        self._equals = {**_EQUALITY, **({"in": "in", "==~": ""} if self._groovy else _STRICT)}
        if similar:
            self._equals["=~"] = ""
        self._at = 0

    def ternary(self) -> _Node:
        """Read ``condition ? one : other``."""
        condition = self._or()
        if not self._takes("?"):
            return condition
        one = self.ternary()
        self.expect("sign", ":")
        other = self.ternary()
        text = f"{condition.at(_OR)} ? {one.at(_OR)} : {other.at(_TERNARY)}"
        return _Node(text, _TERNARY, is_text=one.is_text and other.is_text)

    def expect(self, kind: str, text: str) -> None:
        """Read a token that has to come.

        :raises ConfigError: another one comes.
        """
        token = self._next()
        if token != Token(kind, text):
            raise ConfigError(f"'{token.text}' stands where {text} is expected.")

    def _or(self) -> _Node:
        node = self._and()
        while self._takes("||"):
            node = _Node(f"{node.at(_OR)} || {self._and().at(_AND)}", _OR)
        return node

    def _and(self) -> _Node:
        node = self._equality()
        while self._takes("&&"):
            node = _Node(f"{node.at(_AND)} && {self._equality().at(_COMPARISON)}", _AND)
        return node

    def _equality(self) -> _Node:
        node = self._order()
        while self._peek().kind != "text" and (sign := self._peek().text) in self._equals:
            self._at += 1
            if sign in ("==~", "=~"):
                pattern = self._pattern(whole=sign == "==~")
                node = _Node(f"{node.at(_MEMBER)}.matches({pattern})")
            elif sign == "in":
                node = self._member_of(node, self._order())
            else:
                node = self._equal(node, sign, self._order())
        return node

    def _equal(self, one: _Node, sign: str, other: _Node) -> _Node:
        path, literal = (one, other) if one.path else (other, one)
        if sign in _EQUALITY and path.path and literal.literal and not self._groovy:
            loose = None if path.is_text else loosely_equal(path.text, literal.text)
            if loose is not None:
                return _Node(loose if sign == "==" else f"!{loose}", _SIGN)
        return _Node(f"{one.at(_SUM)} {self._equals[sign]} {other.at(_SUM)}", _COMPARISON)

    def _member_of(self, node: _Node, items: _Node) -> _Node:
        self._refuse_numbers(node, items)
        return _Node(f"{node.at(_SUM)} in {items.at(_SUM)}", _COMPARISON)

    def _refuse_numbers(self, *nodes: _Node) -> None:
        """Refuse literal numbers where Groovy compares by Java's equals.

        :raises ConfigError: one of the nodes is or holds a number.
        """
        if self._groovy and not self._similar and any(node.number for node in nodes):
            raise ConfigError(
                "in, contains and equals compare numbers with their Java types: a BIGINT is never "
                "equal to 5."
            )

    def _order(self) -> _Node:
        node = self._sum()
        token = self._peek()
        if token.kind == "sign" and token.text in _ORDER:
            self._at += 1
            return self._compare(node, token.text, self._sum())
        return node

    def _compare(self, one: _Node, sign: str, other: _Node) -> _Node:
        """Compare by order: in both languages a null does not fail, but in CEL it does."""
        plain = f"{one.at(_SUM)} {sign} {other.at(_SUM)}"
        if not (one.path or other.path):
            return _Node(plain, _COMPARISON)
        if one.path and other.path:
            compare = order_in_groovy if self._groovy else order_in_javascript
            return _Node(compare(one.text, sign, other.text))
        path = one if one.path else other
        if not self._groovy and not (one.is_text or other.is_text):
            null = f"0 {sign} {other.at(_SUM)}" if one.path else f"{one.at(_SUM)} {sign} 0"
            return _Node(f"({path.text} == null ? {null} : {plain})")
        # To Groovy a null is less than anything else.
        if self._groovy and (sign in ("<", "<=")) == one.path:
            return _Node(f"({path.text} == null || {plain})")
        return _Node(f"({path.text} != null && {plain})")

    def _sum(self) -> _Node:
        node = self._product()
        while (sign := self._peek().text) in ("+", "-") and self._peek().kind == "sign":
            self._at += 1
            other = self._product()
            texts = sign == "+" and (node.is_text or other.is_text)
            parts = (self._as_text(node), self._as_text(other)) if texts else (node, other)
            text = f"{parts[0].at(_SUM)} {sign} {parts[1].at(_PRODUCT)}"
            node = _Node(text, _SUM, is_text=texts)
        return node

    def _product(self) -> _Node:
        node = self._unary()
        while (sign := self._peek().text) in ("*", "%") and self._peek().kind == "sign":
            self._at += 1
            node = _Node(f"{node.at(_PRODUCT)} {sign} {self._unary().at(_SIGN)}", _PRODUCT)
        return node

    def _unary(self) -> _Node:
        for sign in ("!", "-"):
            if self._takes(sign):
                node = self._unary()
                number = sign == "-" and node.number
                return _Node(
                    f"{sign}{node.at(_MEMBER)}", _SIGN, literal=node.literal, number=number
                )
        return self._postfix(self._primary())

    def _primary(self) -> _Node:
        token = self._next()
        if token.kind == "number":
            return _Node(token.text.rstrip("LlFfDdGgIi"), literal=True, number=True)
        if token.kind == "text":
            if self._similar and is_computed(token) and (token.text[0] == '"') == self._groovy:
                return self._concatenate(token)
            return _Node(quoted(unquoted(token)), literal=True, is_text=True)
        if token.kind == "name" and token.text in _CONSTANTS:
            return _Node(_CONSTANTS[token.text], literal=True)
        if token.kind == "name" and token.text in VARIABLES:
            return _Node(token.text, is_text=token.text == "topic", path=True)
        if token == Token("sign", "("):
            node = self.ternary()
            self.expect("sign", ")")
            return node._replace(text=f"({node.text})", binding=_MEMBER, literal=False)
        if token == Token("sign", "["):
            items = self._arguments("]")
            number = any(item.number for item in items)
            return _Node(f"[{', '.join(item.text for item in items)}]", number=number)
        known = ", ".join(sorted(VARIABLES))
        raise ConfigError(f"'{token.text}' is not understood; the variables are {known}.")

    def _concatenate(self, token: Token) -> _Node:
        """Return a text that holds expressions as a sum of texts."""
        parts = [
            f"string({translate(part, self._language, similar=True)})" if computed else quoted(part)
            for part, computed in parts_of(token)
        ]
        return _Node(" + ".join(parts) or "''", _SUM, is_text=True)

    def _postfix(self, node: _Node) -> _Node:
        while True:
            if self._takes("?."):
                member = self._member(node)
                node = _Node(f"({node.text} == null ? null : {member.text})", path=True)
            elif self._takes("."):
                node = self._member(node)
            elif self._takes("["):
                index = self.ternary()
                self.expect("sign", "]")
                node = self._item(node, index)
            else:
                return node

    def _member(self, node: _Node) -> _Node:
        token = self._next()
        if token.kind != "name":
            raise ConfigError(f"'{token.text}' stands where the name of a member is expected.")
        name = token.text
        if self._takes("("):
            return self._called(node, name, self._arguments(")"))
        if name == "length" and not self._groovy:
            return _Node(f"size({node.text})")
        if node.text in ("headers", "header"):
            return self._item(node, _Node(quoted(name), literal=True, is_text=True))
        return _Node(f"{node.at(_MEMBER)}.{name}", path=True)

    def _item(self, node: _Node, index: _Node) -> _Node:
        item = f"{node.at(_MEMBER)}[{index.text}]"
        if node.text in ("headers", "header"):  # a map: a missing header is null
            return _Node(f"({index.text} in {node.text} ? {item} : null)", path=True)
        return _Node(item, path=True)

    def _called(self, node: _Node, name: str, arguments: list[_Node]) -> _Node:
        if name in _GETTERS and len(arguments) == 1:
            return self._item(node, arguments[0])
        if name == "equals" and len(arguments) == 1:
            self._refuse_numbers(node, *arguments)
            return _Node(f"{node.at(_SUM)} == {arguments[0].at(_SUM)}", _COMPARISON)
        if name in ("name", "version") and not arguments and node.text.endswith("Schema"):
            return _Node(f"{node.text}.{name}", path=True)
        found = self._called_on_text(node, name, arguments)
        if found is None:
            raise ConfigError(f"The method {name} is not understood.")
        return found

    def _called_on_text(self, node: _Node, name: str, arguments: list[_Node]) -> _Node | None:
        if name in ("contains", "includes") and len(arguments) == 1 and node.text[0] == "[":
            return self._member_of(arguments[0], node)
        if name in _TEXT_METHODS and len(arguments) == 1:
            return _Node(f"{node.at(_MEMBER)}.{_TEXT_METHODS[name]}({arguments[0].text})")
        if name == "matches" and len(arguments) == 1:
            self._at -= 2  # the pattern again, and what closes the call
            pattern = self._pattern(whole=True)
            self._at += 1
            return _Node(f"{node.at(_MEMBER)}.matches({pattern})")
        if name == "equalsIgnoreCase" and self._similar and arguments and arguments[0].literal:
            pattern = re.escape(arguments[0].text[1:-1])
            return _Node(f"{node.at(_MEMBER)}.matches({quoted(f'(?i)^{pattern}$')})")
        if name == "isEmpty" and not arguments and self._groovy:
            return _Node(f"size({node.text}) == 0", _COMPARISON)
        if name in ("size", "length") and not arguments:
            return _Node(f"size({node.text})")
        if name == "toString" and not arguments:
            return self._as_text(node._replace(is_text=False), null=self._groovy)
        return None

    def _as_text(self, node: _Node, *, null: bool = True) -> _Node:
        """Return a node as a text."""
        if node.is_text:
            return node
        if node.literal and (self._groovy or not node.number):
            return _Node(quoted(node.text), is_text=True)
        if node.number:
            return _Node(f"string({node.text})", is_text=True)
        return _Node(text_of(node.at(_MEMBER), null=null), is_text=True)

    def _pattern(self, *, whole: bool) -> str:
        """Read a regular expression, which in Java may have to fit a whole text."""
        token = self._next()
        if token.kind not in ("text", "pattern"):
            raise ConfigError("A regular expression has to be a literal.")
        pattern = unquoted(token)
        return quoted(f"^(?:{pattern})$" if whole else pattern)

    def _arguments(self, closing: str) -> list[_Node]:
        found: list[_Node] = []
        while not self._takes(closing):
            if found:
                self.expect("sign", ",")
            found.append(self.ternary())
        return found

    def _takes(self, text: str) -> bool:
        taken = self._peek() == Token("sign", text)
        self._at += taken
        return taken

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._tokens[self._at]
        self._at += token.kind != "end"
        return token
