"""Names that Avro takes."""

from __future__ import annotations

import pytest

from connector.data.avro_names import field_names, schema_names


@pytest.mark.parametrize(
    ("mode", "name", "schema", "field"),
    [
        ("none", "1st-table.x", "1st-table.x", "1st-table.x"),
        ("avro", "1st-table.x", "_1st_table.x", "_1st_table_x"),
        ("avro", "_é", "__", "__"),
        ("avro", "😀", "__", "__"),
        ("avro", "", "", ""),
        ("avro_unicode", "a_b.c", "a_u005fb.c", "a_u005fb_u002ec"),
        ("avro_unicode", "1é", "_u0031_u00e9", "_u0031_u00e9"),
        ("avro_unicode", "日😀", "_u65e5_ud83d_ude00", "_u65e5_ud83d_ude00"),
    ],
)
def test_adjusted_names(mode: str, name: str, schema: str, field: str) -> None:
    assert schema_names(mode)(name) == schema
    assert field_names(mode)(name) == field
