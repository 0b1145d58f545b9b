"""Codecs of columns."""

from __future__ import annotations

from typing import Any

import pytest

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column
from connector.codegen import call
from connector.data.schema import INT32


@pytest.mark.parametrize("changes", [{"absent": 5}, {"unavailable": "x"}, {"after": call(str)}])
def test_a_codec_is_changed_by_a_copy(changes: dict[str, Any]) -> None:
    codec = ColumnCodec(Column("a", "INT", 4), INT32, call(int), None)
    changed = codec.with_changes(**changes)
    assert [getattr(changed, name) for name in changes] == list(changes.values())
    assert [getattr(codec, name) for name in changes] == [None]
