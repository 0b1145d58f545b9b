"""The example of the page on own transforms: an installed package with entry points."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from connector.config import ConfigDef
from connector.data.record import Record
from connector.data.schema import STRING, struct
from connector.errors import ConfigError, TransformError
from connector.plugin_table import PluginRow, PluginTable, installed_rows
from connector.properties import parse_properties
from tests.fixtures.example_package import install_example
from tests.unit.transforms.chains import build

PAGE = Path(__file__).parents[3] / "docs" / "transforms" / "own.md"
_BLOCKS_OF_SETTINGS = re.compile(r"```properties\n(.*?)```", re.DOTALL)
CONFIG = {
    "transforms": "loud",
    "transforms.loud.type": "com.example.Shout",
    "transforms.loud.field": "name",
}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PluginTable:
    """Install the package of the page as pip would."""
    monkeypatch.delitem(sys.modules, install_example(PAGE, tmp_path), raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return PluginTable(installed_rows())


def test_an_installed_transform(table: PluginTable) -> None:
    assert [(row.class_name, row.kind, row.version) for row in table.all()] == [
        ("com.example.Shout", "transformation", "1.0"),
        ("com.example.IsLoud", "predicate", "1.0"),
        ("com.example.Joined", "converter", "1.0"),
    ]
    (apply,) = build(CONFIG, table)
    schema = struct(None, ("name", STRING))
    found = apply(Record("t", None, None, None, schema, {"name": "ann"}))
    assert found is not None
    assert found.value == {"name": "ANN"}
    with pytest.raises(TransformError, match="Field does not exist: name"):
        apply(Record("t", None, None, None, schema, {}))


def test_an_installed_predicate_and_converter(table: PluginTable) -> None:
    text = PAGE.read_text("utf-8")
    config = parse_properties(_BLOCKS_OF_SETTINGS.findall(text)[0])
    written = dict(re.findall(r'row `\{"name": "(.*?)"\}`(?: is written)? as `(.*?)`', text))
    assert len(written) == 2
    (apply,) = build(config, table)
    converter: Any = table.component(config["value.converter"], "converter")({})
    schema = struct(None, ("name", STRING))
    for name, expected in written.items():
        found = apply(Record("t", None, None, None, schema, {"name": name}))
        assert found is not None
        assert converter.from_connect("t", schema, found.value) == expected.encode()


def test_its_settings(table: PluginTable) -> None:
    shout = table.component("Shout", "transformation")
    assert isinstance(shout.config_def, ConfigDef)
    with pytest.raises(ConfigError, match='Missing required configuration "field"'):
        shout({})


def test_a_class_that_cannot_be_loaded() -> None:
    table = PluginTable([PluginRow("predicate", "com.example.Gone", "1", "no_such_module:Gone")])
    with pytest.raises(ConfigError, match=r"com\.example\.Gone cannot be loaded: No module named"):
        table.component("com.example.Gone", "predicate")
