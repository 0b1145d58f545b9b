"""A reading position in tokens: look ahead, take, expect, skip."""

from __future__ import annotations

from typing import NamedTuple

from connector.errors import DdlError
from connector.mysql.ddl.tokens import Dialect, Tokens, unreadable


class TableName(NamedTuple):
    """A table as a statement names it; ``database`` is None when the statement names none."""

    database: str | None
    table: str


class Reader:
    """Reads the tokens of one text from left to right.

    ``ansi_quotes``: double quotes enclose names. In MariaDB's oracle grammar every kind
    of quote may enclose a name; MySQL's has back quotes only, and double quotes in ANSI mode.
    """

    def __init__(
        self, tokens: Tokens, dialect: Dialect, *, ansi_quotes: bool = False, oracle: bool = False
    ) -> None:
        self.tokens = tokens
        self.dialect = dialect
        self.ansi_quotes = ansi_quotes
        self.dates_have_times = oracle and dialect == "mariadb"
        self.kinds = tokens.kinds
        self.words = tokens.words
        self.index = 0

    @property
    def word(self) -> str:
        """The upper-case unquoted word or the symbol here, or an empty string."""
        return self.words[self.index]

    @property
    def kind(self) -> str:
        """The kind of the token here."""
        return self.kinds[self.index]

    def ahead(self, distance: int = 1) -> str:
        """Return the word or symbol ``distance`` tokens on, or an empty string."""
        index = self.index + distance
        return self.words[index] if index < len(self.words) else ""

    def at_end(self) -> bool:
        """Return whether the statement ends here."""
        return self.kinds[self.index] == "end" or self.words[self.index] == ";"

    def take(self, *words: str) -> bool:
        """Skip ``words`` if exactly they follow; return whether they did."""
        index = self.index
        if self.words[index] != words[0]:
            return False
        if len(words) > 1 and tuple(self.words[index : index + len(words)]) != words:
            return False
        self.index += len(words)
        return True

    def take_any(self, *words: str) -> str:
        """Step over the word here if it is one of ``words``, and return it; else return ''."""
        word = self.words[self.index]
        if word in words:
            self.index += 1
            return word
        return ""

    def expect(self, *words: str) -> None:
        """Step over ``words``.

        :raises DdlError: when something else follows.
        """
        if not self.take(*words):
            raise self.unexpected(" ".join(words))

    def unexpected(self, expected: str) -> DdlError:
        """Return the error for the present token, which is not the ``expected`` one."""
        return unreadable(self.tokens.text, self.tokens.starts[self.index], expected)

    def raw(self) -> str:
        """Step over a token and return it as it is written."""
        index = self.index
        if self.kinds[index] == "end":
            raise self.unexpected("more")
        self.index += 1
        return self.tokens.text[self.tokens.starts[index] : self.tokens.ends[index]]

    def at_name(self) -> bool:
        """Return whether the present token can be a name."""
        kind = self.kinds[self.index]
        if kind in ("word", "name"):
            return True
        if kind == "double":
            return self.ansi_quotes or self.dialect == "mariadb"
        return kind == "string" and self.dialect == "mariadb"

    def name(self) -> str:
        """Step over a name and return it without its quotes; doubled quotes stay doubled."""
        if not self.at_name():
            raise self.unexpected("a name")
        quoted = self.kinds[self.index] != "word"
        text = self.raw()
        return text[1:-1] if quoted else text

    def exact_name(self) -> str:
        """Step over a name and return it without its quotes, doubled quotes made single."""
        if not self.at_name():
            raise self.unexpected("a name")
        quoted = self.kinds[self.index] != "word"
        text = self.raw()
        return text[1:-1].replace(text[0] * 2, text[0]) if quoted else text

    def table_name(self) -> TableName:
        """Step over ``[database.]table``; a leading dot means the current database."""
        self.take(".")
        first = self.exact_name()
        if self.take("."):
            return TableName(first, self.exact_name())
        return TableName(None, first)

    def string(self) -> str:
        """Step over a string literal and return it as it is written, quotes included."""
        if self.kinds[self.index] not in ("string", "double", "national"):
            raise self.unexpected("a string")
        return self.raw()

    def skip_parentheses(self) -> None:
        """Step over a pair of parentheses and all between them."""
        start = self.index
        self.expect("(")
        depth = 1
        while depth:
            if self.kinds[self.index] == "end":
                self.index = start
                raise self.unexpected("a closing parenthesis")
            word = self.words[self.index]
            if word == "(":
                depth += 1
            elif word == ")":
                depth -= 1
            self.index += 1

    def skip_item(self) -> None:
        """Step to the next comma or closing parenthesis of this level, or to the end."""
        while not self.at_end() and self.word not in (",", ")"):
            if self.word == "(":
                self.skip_parentheses()
            else:
                self.index += 1

    def skip_statement(self) -> None:
        """Step to the end of the statement."""
        while not self.at_end():
            self.index += 1

    def skip_all(self) -> None:
        """Step to the end of the text, over semicolons: the body of a stored program."""
        self.index = len(self.kinds) - 1

    def text(self, first: int, last: int | None = None) -> str:
        """Return the text from token ``first`` to token ``last``, by default the one just read.

        Debezium's MariaDB parser takes versioned comments for comments, so that the text of its
        statements never begins or ends in one.
        """
        if last is None:
            last = self.index - 1
        if self.dialect == "mariadb":
            while last > first and last in self.tokens.versioned:
                last -= 1
        return self.tokens.text[self.tokens.starts[first] : self.tokens.ends[last]]

    def until(self, first: int, before: int) -> str:
        """Return the text from token ``first`` up to the beginning of token ``before``."""
        return self.tokens.text[self.tokens.starts[first] : self.tokens.starts[before]]
