"""`python -m tools.package_graph`: print which packages import which, as Mermaid diagrams.

Arrows that follow from others are left out, and so are the modules at the bottom, which all may
import. With ``--write`` the diagrams go into docs/architecture.md.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).parents[1] / "docs" / "architecture.md"
_ROOT: Final = Path(__file__).parents[1]
_BOTTOM: Final = frozenset(
    "connector.allocator connector.codegen connector.config connector.data connector.errors "
    "connector.fence connector.kafka connector.logs connector.names connector.native "
    "connector.properties connector.version "
    "sparksink.errors sparksink.files sparksink.sql sparksink.version".split()
)
_TOP: Final = frozenset(("connector", "restapi", "sparksink"))

Graph = Mapping[str, frozenset[str]]


def package_graph(*products: str) -> Graph:
    """Return the packages of products, each with those that it imports."""
    found: dict[str, set[str]] = {}
    for product in products:
        for path in sorted((_ROOT / product).rglob("*.py")):
            here = _package(".".join(path.relative_to(_ROOT).with_suffix("").parts))
            if here not in _BOTTOM:
                imported = {_package(name) for name in _imports(path)}
                found.setdefault(here, set()).update(imported - {here} - _BOTTOM)
    return {name: frozenset(below & found.keys()) for name, below in found.items() if below}


def mermaid(graph: Graph) -> str:
    """Return the diagram of a graph."""
    arrows = (
        f"  {_label(above)} --> {_label(below)}"
        for above in sorted(graph)
        for below in sorted(graph[above] - _indirect(graph, above))
    )
    return "\n".join(["```mermaid", "graph TD", *arrows, "```"])


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _package(module: str) -> str:
    """Return the part of the architecture that a module belongs to: a folder or file at the top."""
    top, *rest = module.removesuffix(".__init__").split(".")
    if top not in _TOP or not rest or top == "restapi":
        return top
    inside = _ROOT / top / rest[0]
    return f"{top}.{rest[0]}" if inside.is_dir() or inside.with_suffix(".py").is_file() else top


def _indirect(graph: Graph, name: str) -> frozenset[str]:
    """Return the packages that are reached through another import."""
    reached: set[str] = set()
    waiting = [below for direct in graph[name] for below in graph.get(direct, ())]
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting.extend(graph.get(here, ()))
    return frozenset(reached)


def _label(name: str) -> str:
    return name.partition(".")[2] or name


def diagrams() -> str:
    """Return the diagrams of the daemon and of the sink."""
    products = (("connector", "restapi"), ("sparksink",))
    return "\n\n".join(mermaid(package_graph(*names)) for names in products)


def page() -> str:
    """Return the page on the architecture with the diagrams of today."""
    head, begin, rest = FILE.read_text("utf-8").partition("<!-- packages -->\n")
    _, end, tail = rest.partition("<!-- /packages -->")
    return f"{head}{begin}{diagrams()}\n{end}{tail}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(page(), "utf-8")
    else:
        sys.stdout.write(f"{diagrams()}\n")
