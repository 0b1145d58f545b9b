"""What tables are partitioned by is read as Iceberg's SQL writes it, and quoted."""

from __future__ import annotations

import pytest

from sparksink.config.partitioning import NONE, partitioning


@pytest.mark.parametrize(
    ("given", "sql"),
    [
        ("id", "`id`"),
        (" a `b ", "`a ``b`"),
        ("days(made)", "days(`made`)"),
        ("hours( a b )", "hours(`a b`)"),
        ("bucket(16,id)", "bucket(16, `id`)"),
        ("truncate(4, name)", "truncate(4, `name`)"),
    ],
)
def test_a_transform_becomes_sql(given: str, sql: str) -> None:
    assert partitioning([given]).partitioned_by() == f" PARTITIONED BY ({sql})"


@pytest.mark.parametrize(
    "given", ["weeks(a)", "bucket(id)", "bucket(0, id)", "a); DROP", "", "f(x)"]
)
def test_anything_else_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="neither a column nor"):
        partitioning([given])


def test_its_text_identifies_it() -> None:
    assert NONE.text() == ""
    both = partitioning(["months(at)", "kind"], ["id", "b c"])
    assert both.columns == ["at", "kind", "id", "b c"]
    assert both.text() == "PARTITIONED BY (months(`at`), `kind`) CLUSTER BY `id`, `b c`"
