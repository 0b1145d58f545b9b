"""Modules and functions are short, named by words of the domain, and complete."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.fixtures.source_tree import OWN, PRODUCTS, ROOT, files, imports, tree

LONGEST_FILE, LONGEST_TEST_FILE = 300, 350
LONGEST_FUNCTION = 40
NO_NAMES = {"util", "common", "helper", "manager", "handler", "wrapper", "misc", "lib"}


def test_no_file_is_too_long() -> None:
    for path in files(*OWN):
        most = LONGEST_TEST_FILE if path.startswith("tests/") else LONGEST_FILE
        assert (ROOT / path).read_text("utf-8").count("\n") <= most, path


def test_no_function_is_too_long() -> None:
    lengths = {
        f"{path}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in files(*PRODUCTS)
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}


def test_names_are_words_of_the_domain() -> None:
    named = {part for path in files(*OWN) for part in Path(path).with_suffix("").parts}
    words = {word.removesuffix("s") for part in named for word in part.split("_")}
    assert words & NO_NAMES == set()


def test_nothing_is_left_to_be_done() -> None:
    left = [
        f"{path}: {word}"
        for path in files(*PRODUCTS)
        for word in ("TODO", "FIXME", "NotImplementedError", "XXX")
        if word in (ROOT / path).read_text("utf-8")
    ]
    assert left == []


def test_no_test_imitates_our_own_code() -> None:
    mocking = [
        path
        for path in files("tests")
        if any(name.startswith(("unittest.mock", "mock")) for name in imports(path))
    ]
    assert mocking == []
