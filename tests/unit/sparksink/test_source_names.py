"""All names that a column has had: any of them masks or excludes it."""

from __future__ import annotations

import json
from functools import partial

import pytest

pytest.importorskip("pyspark")

from sparksink.config.columns import Columns
from sparksink.config.file import parse
from sparksink.schemas.definitions import Definitions, Message
from sparksink.schemas.masks import masked_columns
from sparksink.schemas.names import select_columns
from sparksink.schemas.row_schema import Column, RowSchema
from sparksink.schemas.versions import SchemaVersions
from tests.fixtures.sink.defined import defined
from tests.unit.sparksink.least_config import LEAST

CREATED = "CREATE TABLE t (id INT PRIMARY KEY, ssn VARCHAR(9), n INT)"
RENAMED = "ALTER TABLE t RENAME COLUMN SSN TO tax"
RENAMED_AGAIN = "ALTER TABLE t CHANGE tax fiscal VARCHAR(20)"
COMMENT = "ALTER TABLE t COMMENT 'none'"


def versions(*statements: str, rename: str, first: int = 0) -> SchemaVersions:
    """Return the versions of a table after statements; the topic begins with the ``first`` one."""
    messages: list[Message] = [
        (n, json.dumps(one).encode(), None) for n, one in enumerate(defined(*statements)[first:])
    ]
    config = parse({**LEAST, "evolution": {"rename": rename}})
    known = Definitions(config, lambda offset: messages[offset:])
    known.refresh()
    return known.all_versions()["shop.t"]


@pytest.mark.parametrize("rename", ["ddl", "add"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_column_has_all_names_of_its_renames(rename: str, first: int) -> None:
    statements = CREATED, RENAMED, COMMENT, RENAMED_AGAIN
    found = versions(*statements, rename=rename, first=first)
    names = {"ssn", "tax", "fiscal"} if first == 0 else {"SSN", "tax", "fiscal"}
    assert found.names_of(None, "fiscal") == found.names_of(None, "tax") == names
    assert found.names_of(0, "n") == {"n"}
    assert found.names_of(None, "unknown") == {"unknown"}


@pytest.mark.parametrize("rename", ["ddl", "add"])
def test_columns_that_take_each_others_names_keep_both(rename: str) -> None:
    swap = "ALTER TABLE t RENAME COLUMN ssn TO n, RENAME COLUMN n TO ssn"
    found = versions(CREATED, swap, rename=rename)
    assert found.names_of(0, "ssn") == {"ssn", "n"}
    again = "ALTER TABLE t ADD COLUMN ssn INT"
    found = versions(CREATED, RENAMED, again, rename=rename)
    assert found.names_of(2, "ssn") == {"ssn"}
    assert found.names_of(2, "tax") == {"ssn", "tax"}


@pytest.mark.parametrize("rename", ["ddl", "add"])
def test_any_name_excludes_and_masks(rename: str) -> None:
    found = versions(CREATED, RENAMED, RENAMED_AGAIN, rename=rename)
    all_names = partial(found.names_of, None)

    def names(rules: Columns) -> list[str]:
        shape = RowSchema(tuple(Column(name, "string") for name in ("id", "fiscal", "n")))
        known = select_columns("t", shape, rules, str, row=False, names=all_names)
        return list(known.names)

    for name in ("ssn", "tax", "fiscal"):
        assert names(Columns(exclude=[name])) == ["id", "n"]
        assert names(Columns(include=["id", name])) == ["id", "fiscal"]
        assert "fiscal" in masked_columns(Columns(mask={name: None}), found)
    assert names(Columns(exclude=["other"])) == ["id", "fiscal", "n"]


@pytest.mark.parametrize("rename", ["ddl", "add"])
def test_a_mask_may_name_a_column_as_messages_do(rename: str) -> None:
    found = versions(
        "CREATE TABLE t (id INT PRIMARY KEY, `tax id` INT)",
        "ALTER TABLE t RENAME COLUMN `tax id` TO fiscal",
        rename=rename,
    )
    assert found.names_of(None, "fiscal") == {"tax id", "tax_id", "fiscal"}
