"""Translates the usual one-liners in Groovy and JavaScript to CEL.

The page on Debezium's transforms lists what is understood, and the differences in meaning.
"""

from __future__ import annotations

from typing import Final

from connector.errors import ConfigError
from connector.transforms.cel_expression import VARIABLES
from connector.transforms.script_comparisons import UNDEFINED
from connector.transforms.script_nodes import (
    AND,
    COMPARISON,
    MEMBER,
    OR,
    PRODUCT,
    SIGN,
    SUM,
    TERNARY,
    TOO_LONG,
    Node,
    as_text,
    bounded,
    compare_order,
    equal_ignoring_case,
    equal_loosely,
    item_of,
    member_unless_nothing,
)
from connector.transforms.script_tokens import (
    Token,
    is_computed,
    number_of,
    parts_of,
    pattern_of,
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
_CONSTANTS: Final = {"true": "true", "false": "false", "null": "null", "undefined": UNDEFINED}
_STRICT: Final = {"===": "==", "!==": "!="}  # of JavaScript; Groovy compares references
_ORDER: Final = ("<", "<=", ">", ">=")
_GETTERS: Final = frozenset(
    "get getString getInt8 getInt16 getInt32 getInt64 getFloat32 getFloat64 getBoolean getStruct "
    "getWithoutDefault".split()
)
_TEXT_METHODS: Final = {"includes": "contains"} | {
    name: name for name in ("startsWith", "endsWith", "contains")
}


def translate(expression: str, language: str, *, similar: bool = False) -> str:
    """Return an expression in CEL; a ``similar`` one may differ for some values.

    :raises ConfigError: it is not understood, or means something that CEL cannot say.
    """
    parser = _Parser(tokens_of(expression), language, similar=similar)
    try:
        node = parser.ternary()
    except RecursionError:
        raise ConfigError(TOO_LONG) from None
    parser.expect("end", "the end")
    return node.text


class _Parser:
    """A parser by recursive descent; a method for each level of binding."""

    def __init__(self, tokens: list[Token], language: str, *, similar: bool) -> None:
        self._tokens = tokens
        self._language = language
        self._groovy = LANGUAGES[language] == "groovy"
        self._similar = similar
        own = {"in": "in", "==~": ""} if self._groovy else _STRICT
        self._equals = {"==": "==", "!=": "!=", **own}
        if similar:
            self._equals["=~"] = ""
        self._at = 0

    def ternary(self) -> Node:
        """Read ``condition ? one : other``."""
        condition = self._or()
        if not self._takes("?"):
            return condition
        one = self.ternary()
        self.expect("sign", ":")
        other = self.ternary()
        text = f"{condition.at(OR)} ? {one.at(OR)} : {other.at(TERNARY)}"
        return Node(text, TERNARY, is_text=one.is_text and other.is_text)

    def expect(self, kind: str, text: str) -> None:
        """Read a token that has to come.

        :raises ConfigError: another one comes.
        """
        token = self._next()
        if token != Token(kind, text):
            raise ConfigError(f"'{token.text}' stands where {text} is expected.")

    def _or(self) -> Node:
        node = self._and()
        while self._takes("||"):
            node = Node(f"{node.at(OR)} || {self._and().at(AND)}", OR)
        return node

    def _and(self) -> Node:
        node = self._equality()
        while self._takes("&&"):
            node = Node(f"{node.at(AND)} && {self._equality().at(COMPARISON)}", AND)
        return node

    def _equality(self) -> Node:
        node = self._order()
        while self._peek().kind != "text" and (sign := self._peek().text) in self._equals:
            self._at += 1
            if sign in ("==~", "=~"):
                pattern = pattern_of(self._next(), whole=sign == "==~")
                node = Node(f"{node.at(MEMBER)}.matches({pattern})")
            elif sign == "in":
                node = self._member_of(node, self._order())
            else:
                node = self._equal(node, sign, self._order())
        return node

    def _equal(self, one: Node, sign: str, other: Node) -> Node:
        loose = None if self._groovy or sign in _STRICT else equal_loosely(one, sign, other)
        if loose is not None:
            return loose
        return Node(f"{one.at(SUM)} {self._equals[sign]} {other.at(SUM)}", COMPARISON)

    def _member_of(self, node: Node, items: Node) -> Node:
        self._refuse_numbers(node, items)
        return Node(f"{node.at(SUM)} in {items.at(SUM)}", COMPARISON)

    def _refuse_numbers(self, *nodes: Node) -> None:
        """Refuse literal numbers where Groovy compares by Java's equals.

        :raises ConfigError: one of the nodes is or holds a number.
        """
        if self._groovy and not self._similar and any(node.number for node in nodes):
            raise ConfigError(
                "in, contains and equals compare numbers with their Java types: a BIGINT is never "
                "equal to 5."
            )

    def _order(self) -> Node:
        node = self._sum()
        token = self._peek()
        if token.kind == "sign" and token.text in _ORDER:
            self._at += 1
            return compare_order(node, token.text, self._sum(), groovy=self._groovy)
        return node

    def _sum(self) -> Node:
        node = self._product()
        while (sign := self._peek().text) in ("+", "-") and self._peek().kind == "sign":
            self._at += 1
            other = self._product()
            texts = sign == "+" and (node.is_text or other.is_text)
            if texts:
                node, other = (as_text(one, groovy=self._groovy) for one in (node, other))
            text = f"{node.at(SUM)} {sign} {other.at(PRODUCT)}"
            node = Node(text, SUM, is_text=texts)
        return node

    def _product(self) -> Node:
        node = self._unary()
        while (sign := self._peek().text) in ("*", "%") and self._peek().kind == "sign":
            self._at += 1
            node = Node(f"{node.at(PRODUCT)} {sign} {self._unary().at(SIGN)}", PRODUCT)
        return node

    def _unary(self) -> Node:
        for sign in ("!", "-"):
            if self._takes(sign):
                node = self._unary()
                number = sign == "-" and node.number
                return Node(f"{sign}{node.at(MEMBER)}", SIGN, literal=node.literal, number=number)
        return self._postfix(self._primary())

    def _primary(self) -> Node:
        token = self._next()
        if token.kind == "number":
            return Node(number_of(token), literal=True, number=True)
        if token.kind == "text":
            if self._similar and is_computed(token) and (token.text[0] == '"') == self._groovy:
                return self._concatenate(token)
            return Node(quoted(unquoted(token)), literal=True, is_text=True)
        if token.kind == "name" and token.text in _CONSTANTS:
            return Node(_CONSTANTS[token.text], literal=True)
        if token.kind == "name" and token.text in VARIABLES:
            return Node(token.text, is_text=token.text == "topic", path=True)
        if token == Token("sign", "("):
            node = self.ternary()
            self.expect("sign", ")")
            return node._replace(text=f"({node.text})", binding=MEMBER, literal=False)
        if token == Token("sign", "["):
            items = self._arguments("]")
            number = any(item.number for item in items)
            return Node(f"[{', '.join(item.text for item in items)}]", number=number)
        known = ", ".join(sorted(VARIABLES))
        raise ConfigError(f"'{token.text}' is not understood; the variables are {known}.")

    def _concatenate(self, token: Token) -> Node:
        """Return a text that holds expressions as a sum of texts."""
        parts = [
            f"string({translate(part, self._language, similar=True)})" if computed else quoted(part)
            for part, computed in parts_of(token)
        ]
        return Node(" + ".join(parts) or "''", SUM, is_text=True)

    def _postfix(self, node: Node) -> Node:
        while True:
            node = bounded(node)
            if self._takes("?."):
                node = member_unless_nothing(node, self._member(node), groovy=self._groovy)
            elif self._takes("."):
                node = self._member(node)
            elif self._takes("["):
                index = self.ternary()
                self.expect("sign", "]")
                node = item_of(node, index)
            else:
                return node

    def _member(self, node: Node) -> Node:
        token = self._next()
        if token.kind != "name":
            raise ConfigError(f"'{token.text}' stands where the name of a member is expected.")
        name = token.text
        if self._takes("("):
            return self._called(node, name, self._arguments(")"))
        if name == "length" and not self._groovy:
            return Node(f"length({node.text})")
        if node.text in ("headers", "header"):
            return item_of(node, Node(quoted(name), literal=True, is_text=True))
        return Node(f"{node.at(MEMBER)}.{name}", path=True)

    def _called(self, node: Node, name: str, arguments: list[Node]) -> Node:
        if name in _GETTERS and len(arguments) == 1:
            return item_of(node, arguments[0])
        if name == "equals" and len(arguments) == 1:
            self._refuse_numbers(node, *arguments)
            return Node(f"{node.at(SUM)} == {arguments[0].at(SUM)}", COMPARISON)
        if name in ("name", "version") and not arguments and node.text.endswith("Schema"):
            return Node(f"{node.text}.{name}", path=True)
        found = self._called_on_text(node, name, arguments)
        if found is None:
            raise ConfigError(f"The method {name} is not understood.")
        return found

    def _called_on_text(self, node: Node, name: str, arguments: list[Node]) -> Node | None:
        if name in ("contains", "includes") and len(arguments) == 1 and node.text[0] == "[":
            return self._member_of(arguments[0], node)
        if name in _TEXT_METHODS and len(arguments) == 1:
            return Node(f"{node.at(MEMBER)}.{_TEXT_METHODS[name]}({arguments[0].text})")
        if name == "matches" and len(arguments) == 1:
            self._at -= 2  # the pattern again, and what closes the call
            pattern = pattern_of(self._next(), whole=True)
            self._at += 1
            return Node(f"{node.at(MEMBER)}.matches({pattern})")
        if name == "equalsIgnoreCase" and self._similar and arguments and arguments[0].literal:
            return equal_ignoring_case(node, arguments[0])
        if name == "isEmpty" and not arguments and self._groovy:
            return Node(f"length({node.text}) == 0", COMPARISON)
        if name in ("size", "length") and not arguments:
            return Node(f"length({node.text})")
        if name == "toString" and not arguments:
            return as_text(node._replace(is_text=False), groovy=self._groovy, nothing=self._groovy)
        return None

    def _arguments(self, closing: str) -> list[Node]:
        found: list[Node] = []
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
