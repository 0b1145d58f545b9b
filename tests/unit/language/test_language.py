"""Names and prose use the terms of the field: `words.tsv` lists what to replace, and by what.

Paths that are not clean yet stand in `unclean.txt`. The list may only shrink: a path in it that has
become clean fails the check until its line is removed. Move a line along with its folder.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FOLDERS: tuple[str, ...] = (".ci", "bench", "config-examples", "connector", "deploy", "docs")
FOLDERS += ("restapi", "sparksink", "tests", "tools")
SUFFIXES = {".md", ".properties", ".py", ".pyi", ".rs", ".service", ".toml", ".tsv", ".yaml"}
NAMES = {"Dockerfile", "Makefile"}
PRODUCTS = {"connector": "daemon", "restapi": "daemon", "sparksink": "sink"}
CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|https?://\S+", re.DOTALL)


def lines(name: str) -> list[str]:
    """Return the lines of a list in this folder, without remarks."""
    return [line for line in (HERE / name).read_text("utf-8").splitlines() if line[:1] != "#"]


def phrase(pattern: str) -> re.Pattern[str]:
    """Compile a phrase: alone, in prose over line breaks and comment signs, and in names."""
    spaced = pattern.replace(" ", r"(?:_|\s+(?:(?:\#|//[/!]?)\s+)?)")
    return re.compile(rf"(?<![A-Za-z])(?:{spaced})(?![A-Za-z])", re.IGNORECASE)


WORDS = [(phrase(row.split("\t")[0]), row.split("\t")[1]) for row in lines("words.tsv")[1:]]
UNCLEAN = lines("unclean.txt")


def paths() -> list[str]:
    """Return all files with prose or names in them, but not the lists of this check."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    found += [path for path in ROOT.iterdir() if path.is_file()]
    chosen = [path for path in found if path.suffix in SUFFIXES or path.name in NAMES]
    return sorted(path.relative_to(ROOT).as_posix() for path in chosen if HERE not in path.parents)


@cache
def text(path: str) -> str:
    read = (ROOT / path).read_text("utf-8")
    return CODE.sub(lambda match: "\n" * match[0].count("\n"), read) if path[-3:] == ".md" else read


def nodes(path: str) -> Iterator[ast.AST]:
    if path.endswith(".py"):
        yield from ast.walk(ast.parse(text(path)))


def wrong_names(path: str) -> Iterator[str]:
    functions, classes = set(lines("functions.txt")), set(lines("classes.txt"))
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef) and node.name.strip("_") in functions:
            yield f"{path}:{node.lineno}: function {node.name}: name it by a verb, or a noun"
        if isinstance(node, ast.ClassDef) and node.name.strip("_") in classes:
            yield f"{path}:{node.lineno}: class {node.name}: name its role"


@cache
def faults(path: str) -> list[str]:
    """Return what is wrong in a file, each with its line and what to do."""
    found = [
        f"{path}:{text(path)[: match.start()].count(chr(10)) + 1}: {match[0]!r}: {instead}"
        for words, instead in WORDS
        for match in words.finditer(text(path))
    ]
    return [*found, *wrong_names(path)]


def is_below(path: str, part: str) -> bool:
    return path == part or (part.endswith("/") and path.startswith(part))


def test_prose_and_names_use_the_terms_of_the_field() -> None:
    clean = [path for path in paths() if not any(is_below(path, part) for part in UNCLEAN)]
    assert [fault for path in clean for fault in faults(path)] == []


def test_what_has_become_clean_is_not_excluded() -> None:
    dirty = [path for path in paths() if faults(path)]
    needless = [part for part in UNCLEAN if not any(is_below(path, part) for path in dirty)]
    assert needless == [], "remove these lines from tests/unit/language/unclean.txt"


def type_names(path: str) -> Iterator[str]:
    """Yield the classes of a file, private ones without underscore, and its public type aliases."""
    for node in nodes(path):
        if isinstance(node, ast.ClassDef):
            yield node.name.strip("_")
        elif isinstance(node, ast.Module):
            yield from filter(None, map(alias_name, node.body))


def alias_name(node: ast.stmt) -> str | None:
    """Return the name of a public type alias, as `Row = tuple[Any, ...]`; None of anything else."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            aliases = not isinstance(value, ast.Call) or ast.unparse(value.func) == "NewType"
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
            aliases = ast.unparse(annotation) == "TypeAlias"
        case _:
            return None
    return name if aliases and re.fullmatch(r"[A-Z]\w*[a-z]\w*", name) else None


def test_a_type_name_is_used_once_in_a_product() -> None:
    used = defaultdict(list)
    for path in paths():
        product = PRODUCTS.get(path.split("/")[0])
        for name in type_names(path) if product else ():
            used[f"{product} {name}"].append(path)
    twice = {name: found for name, found in used.items() if len(found) > 1}
    excused = set(lines("duplicates.txt"))
    assert {name: found for name, found in twice.items() if name not in excused} == {}
    assert excused - twice.keys() == set(), "remove these lines from duplicates.txt"
