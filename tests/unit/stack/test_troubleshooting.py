"""The messages on the page for troubleshooting are those of the program."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
MESSAGES = [
    message
    for row in re.findall(r"^\| (`.+?) \|", PAGE, re.MULTILINE)
    for message in re.findall(r"`([^`]+)`", row)
]


def texts() -> str:
    """Return all text literals of the program, with a mark where a value stands."""
    found = []
    for path in (ROOT / "connector").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = (getattr(part, "value", "") for part in node.values)
                found.append("".join(part if isinstance(part, str) else "\0" for part in parts))
    return "\n".join(found)


TEXTS = texts()


@pytest.mark.parametrize("message", MESSAGES)
def test_the_program_has_this_message(message: str) -> None:
    assert message in TEXTS
