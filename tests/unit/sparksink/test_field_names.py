"""Names of columns in messages: as the connector adjusts them, compared with their definitions."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("pyspark")

from connector.data.avro_names import field_names
from sparksink.schemas.field_names import ADJUSTMENTS, find_adjustment

CHARACTERS = "aZ09_$ .-äß€\N{ARABIC-INDIC DIGIT ONE}"


@pytest.mark.parametrize("mode", [*ADJUSTMENTS])
def test_names_are_adjusted_as_the_connector_does(mode: str) -> None:
    chance, adjust = random.Random(1), field_names(mode)
    for _ in range(2000):
        name = "".join(chance.choices(CHARACTERS, k=chance.randint(1, 6)))
        assert ADJUSTMENTS[mode](name) == adjust(name)


def test_the_mode_of_adjusted_names_is_found() -> None:
    defined = {"id", "order id", "größe"}
    assert find_adjustment(defined, defined) is None
    assert find_adjustment({"id", "order_id", "gr__e"}, defined) == "avro"
    assert find_adjustment({"id", "order_u0020id"}, defined) == "avro_unicode"
    assert find_adjustment({*defined, "order_id"}, defined) is None  # a column that was added
    assert find_adjustment({"id", "other"}, defined) is None
