"""The page on the architecture names what exists, and shows the imports of today."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from tools.package_graph import FILE, package_graph, page

ROOT = Path(__file__).parents[3]
TEXT = FILE.read_text("utf-8")
NAMES = sorted(set(re.findall(r"`((?:connector|restapi|sparksink)(?:\.\w+)+)`", TEXT)))
PATHS = sorted(set(re.findall(r"`((?:connector|restapi|sparksink)/[\w/.]*)`", TEXT)))


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


def test_every_package_is_in_the_tables() -> None:
    packages = package_graph("connector", "restapi", "sparksink").keys()
    folders = {
        name.rpartition(".")[2] for name in packages if (ROOT / name.replace(".", "/")).is_dir()
    }
    assert {name for name in folders if f"{name}/`" not in TEXT} == set()


def test_the_package_graph_is_up_to_date() -> None:
    assert page() == TEXT, "run: make reference"
