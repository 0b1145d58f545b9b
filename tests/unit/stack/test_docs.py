"""The links of the documentation work, and it is complete."""

import re
from pathlib import Path

import pytest

from connector.metric_definitions import CONTEXTS, MetricDefinition
from connector.millrace_metrics import OWN, OWN_BY_TABLE

ROOT = Path(__file__).parents[3]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / folder / "README.md" for folder in ("config-examples", "deploy", "tests", "tools")),
]
NAMED = re.compile(r"`(tests/[\w/.]+)(?:::(\w+))?`")
MOST_TERMS = 40
LINK = re.compile(r"\]\(([^)#\s]+)?(#[^)\s]+)?\)")


def anchors(page: Path) -> set[str]:
    """The names by which the headings of a page are linked to, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text("utf-8")):
        if target.startswith("https://"):
            continue
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            assert anchor[1:] in anchors(file), f"{target}{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_test_that_is_named_exists(page: Path) -> None:
    for file, name in NAMED.findall(page.read_text("utf-8")):
        assert (ROOT / file).exists(), file
        assert not name or f"\ndef {name}(" in (ROOT / file).read_text("utf-8"), f"{file}::{name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_has_a_head(page: Path) -> None:
    """A blank line within a table makes text of the rows behind it."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    tables = re.findall(r"(?:^\|.*\n)+", f"{text}\n", re.MULTILINE)
    headless = [table for table in tables if not re.match(r"\|.*\n\|[ :|-]+\|\n", table)]
    assert headless == []


def test_the_glossary_is_short_and_has_each_term_once_in_a_section() -> None:
    _, *sections = (ROOT / "docs" / "glossary.md").read_text("utf-8").split("\n## ")
    terms = [re.findall(r"^\| ([^|]+) \| .+ \|$", text, re.MULTILINE)[1:] for text in sections]
    assert 0 < sum(map(len, terms)) <= MOST_TERMS
    assert [sorted(set(found), key=str.lower) for found in terms] == terms


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(
        r"^\| \[\d+\]\((.+)\) \| (.+) \|$", (folder / "README.md").read_text(), re.MULTILINE
    )
    there = [file.name for file in sorted(folder.glob("0*.md"))]
    assert [name for name, _ in listed] == there
    for name, title in listed:
        assert (folder / name).read_text("utf-8").startswith(f"# {int(name[:4])}. "), title


@pytest.mark.parametrize(
    "metric", [*(one for of in CONTEXTS.values() for one in of), *OWN, *OWN_BY_TABLE]
)
def test_every_metric_is_documented(metric: MetricDefinition) -> None:
    text = (ROOT / "docs" / "metrics.md").read_text("utf-8")
    assert metric.name in text or re.sub(r"(Update|Delete)", "Create", metric.name) in text


def test_the_makefile_lists_at_most_twelve_targets() -> None:
    listed = re.findall(r"^[a-z-]+:.*  ## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert 0 < len(listed) <= 12


def test_every_check_of_acceptance_has_its_line() -> None:
    text = (ROOT / "docs" / "acceptance.md").read_text("utf-8")
    lines = dict(re.findall(r"^\| ([AD][\dA-]+) \| .+ \| (.+) \|$", text, re.MULTILINE))
    assert [key for key in lines if key[0] == "D"] == [f"D{number}" for number in range(1, 60)]
    assert len([key for key in lines if key[0] == "A"]) == 108
    held = re.compile(r"`tests/|^not tested|^not supported: |^as A\d{3}")
    assert [key for key, how in lines.items() if not held.search(how)] == []
    referred = {
        key for how in lines.values() if how.startswith("as ") for key in how[3:].split(", ")
    }
    assert {part for key in referred for part in key.split("-")} <= lines.keys()
