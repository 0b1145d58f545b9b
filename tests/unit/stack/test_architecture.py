"""The page on the architecture names what exists, and shows the imports of today."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tools.package_graph import FILE, Graph, package_graph, page

ROOT = Path(__file__).parents[3]
PRODUCTS = ("connector", "restapi", "sparksink")
TEXT = FILE.read_text("utf-8")
NAMES = sorted(set(re.findall(r"`((?:connector|restapi|sparksink)(?:\.\w+)+)`", TEXT)))
PATHS = sorted(set(re.findall(r"`((?:connector|restapi|sparksink)/[\w/.]*)`", TEXT)))

# The table of packages: the paths of each row, and the names of what they depend on.
TABLE = TEXT.partition("### Package graph")[0]
ROWS = [
    (re.findall(r"`([\w/.]+)`", packages), set(re.findall(r"`(\w+)`", below)))
    for packages, below in re.findall(r"^\| (`[^|]+) \| [^|]+ \| ([^|]+) \|$", TABLE, re.MULTILINE)
]
VALUE = "<>"  # in the name of a thread, what differs


def find(name: str) -> Any:
    """Import the longest module of a dotted name, and take the rest as attributes.

    :raises AttributeError: there is no such attribute.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            found = getattr(found, attribute)
        return found
    raise AttributeError(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_walks_exists(name: str) -> None:
    find(name)


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_walks_have_names() -> None:
    assert len(NAMES) > 30


def package_of(path: str) -> str:
    return path.removesuffix(".py").strip("/").replace("/", ".")


@cache
def graph() -> Graph:
    """Return what the packages of all products import."""
    return package_graph("connector", "restapi", "sparksink")


def dependencies(path: str) -> set[str]:
    """Return what a file or folder imports of the packages that not all may import."""
    name = package_of(path)
    inside = (name, f"{name}.")
    return {
        below.removeprefix("connector.")
        for package, imported in graph().items()
        if package == inside[0] or package.startswith(inside[1])
        for below in imported
        if not below.startswith(inside)
    }


def thread_names(path: Path) -> Iterator[str]:
    """Yield the names of the threads that a file starts."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    assigned = {
        ast.unparse(target): node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        match ast.unparse(node.func).rpartition(".")[2]:
            case "Thread":
                name = given["name"]
                if not (isinstance(name, ast.Name) and name.id not in assigned):  # an argument
                    yield literal(assigned.get(ast.unparse(name), name))
            case "run_in_background":
                yield literal(node.args[0])
            case "ThreadPoolExecutor":
                yield f"{literal(node.args[1])}_{VALUE}"
            case "Timer":
                yield f"Thread-{VALUE}"
            case "run_sync" | "run_in_threadpool":
                yield "AnyIO worker thread"


def literal(node: ast.expr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else VALUE for part in parts)


def test_the_table_of_packages_has_each_of_them() -> None:
    parts = [path for path in (ROOT / "connector").iterdir() if path.name[:2] not in ("__", "py")]
    parts += [ROOT / "connector" / "__main__.py", ROOT / "restapi", ROOT / "sparksink"]
    there = [f"{path.relative_to(ROOT)}{'/' * path.is_dir()}" for path in parts]
    paths = [path for listed, _ in ROWS for path in listed if path.startswith(PRODUCTS)]
    assert sorted(paths) == sorted(there)


def test_the_table_of_packages_has_the_dependencies_of_the_code() -> None:
    said = {path: below for paths, below in ROWS for path in paths if path.startswith(PRODUCTS)}
    assert said == {path: dependencies(path) for path in said}


def test_imports_point_down_in_the_table_of_packages() -> None:
    order = [package_of(path).removeprefix("connector.") for paths, _ in ROWS for path in paths]
    upwards = [
        f"{path} -> {name}"
        for paths, below in ROWS
        for path in paths
        for name in below
        if order.index(name) < order.index(package_of(path).removeprefix("connector."))
    ]
    assert upwards == []


def test_the_table_of_packages_has_the_rooms_of_mysql() -> None:
    row = re.search(r"^\| `connector/mysql/` \| (.+?) \|", TEXT, re.MULTILINE)
    assert row is not None
    rooms = {path.parent.name for path in (ROOT / "connector/mysql").glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", row[1])) == rooms


def test_every_thread_is_on_the_page() -> None:
    section = TEXT.partition("## Threads")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)
    listed = {re.sub("<.+?>", VALUE, name) for row in rows for name in re.findall("`(.+?)`", row)}
    files = [path for folder in PRODUCTS[:2] for path in (ROOT / folder).rglob("*.py")]
    assert listed == {name for path in files for name in thread_names(path)}


def test_every_package_is_in_the_tables() -> None:
    packages = graph().keys()
    folders = {
        name.rpartition(".")[2] for name in packages if (ROOT / name.replace(".", "/")).is_dir()
    }
    assert {name for name in folders if f"{name}/`" not in TEXT} == set()


def test_the_package_graph_is_up_to_date() -> None:
    assert page() == TEXT, "run: make reference"
