"""Text cut into tokens."""

from __future__ import annotations

import pytest

from connector.errors import DdlError
from connector.mysql.ddl.tokens import Dialect, tokenize


def cut(text: str, dialect: Dialect = "mysql", *, backslashes: bool = True) -> list[str]:
    tokens = tokenize(text, dialect, backslashes=backslashes)
    spans = zip(tokens.kinds, tokens.starts, tokens.ends, strict=True)
    return [f"{kind}:{text[start:end]}" for kind, start, end in spans if kind != "end"]


@pytest.mark.parametrize(
    ("text", "kinds", "tokens"),
    [
        ("a1 _b $c ünï 1st 1e5x", "word " * 6, "a1 _b $c ünï 1st 1e5x"),
        ("1 1.5 .5 1e-3 2.", "number " * 5, "1 1.5 .5 1e-3 2."),
        ("`a``b` `a.b`", "name name", "`a``b` `a.b`"),
        (r"'it''s' 'a\'b' ''", "string " * 3, r"'it''s' 'a\'b' ''"),
        ('"d""q" n\'x\'', "double national", '"d""q" n\'x\''),
        ("x'41' X'' 0x4F 0xZ", "hex hex hex word", "x'41' X'' 0x4F 0xZ"),
        ("b'01' 0b01 0b2", "bit bit word", "b'01' 0b01 0b2"),
        ("@a @@b.c @`d` @'f'", "variable " * 4, "@a @@b.c @`d` @'f'"),
        ("a.b=-2;", "word symbol word symbol symbol number symbol", "a . b = - 2 ;"),
        ("a/* ' */b-- \"\nc#`\nd--e", "word " * 4 + "symbol symbol word", "a b c d - - e"),
        ("a /*!50100 b */ /*! c*/ d", "word " * 4, "a b c d"),
        ("d.2020 `d`.1e5", "word symbol word name symbol word", "d . 2020 `d` . 1e5"),
        ("(.5,1.5)-.5", "symbol number " * 2 + "symbol symbol number", "( .5 , 1.5 ) - .5"),
        ("", "", ""),
        (" \t\n\r\x00", "", ""),
    ],
)
def test_kinds_of_tokens(text: str, kinds: str, tokens: str) -> None:
    pairs = zip(kinds.split(), tokens.split(), strict=True)
    assert cut(text) == [f"{kind}:{token}" for kind, token in pairs]


def test_spaces_of_other_scripts_are_part_of_names() -> None:
    assert cut("\u3000a \xa0b") == ["word:\u3000a", "word:\xa0b"]


def test_mariadb_has_versioned_comments_of_its_own() -> None:
    text = "/*M! a */ /*M!100401 b */ /* c */"
    assert cut(text, "mariadb") == ["word:a", "word:b"]
    assert cut(text) == []


def test_the_tokens_in_versioned_comments_are_known() -> None:
    assert tokenize("a /*!50100 b c */ d").versioned == {1, 2}


def test_keywords_are_never_equal_to_quoted_names() -> None:
    assert tokenize("select `select` 'select'").words == ["SELECT", "", "", ""]


def test_without_backslash_escapes_a_backslash_is_a_character() -> None:
    assert cut(r"'a\' 'b'", backslashes=False) == [r"string:'a\'", "string:'b'"]
    assert cut(r"'a\' b'") == [r"string:'a\' b'"]


@pytest.mark.parametrize("text", ["'a", '"a', "`a", "/* a", "a 'b''", r"'a\'"])
def test_what_never_ends_is_an_error_that_shows_no_literal(text: str) -> None:
    with pytest.raises(DdlError, match="the end of what opens here") as caught:
        tokenize(f"CREATE USER x IDENTIFIED BY 'geheim' {text}")
    assert "geheim" not in str(caught.value)
