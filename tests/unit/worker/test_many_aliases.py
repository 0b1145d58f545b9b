"""Configurations with many transforms and predicates, and aliases with dots."""

from __future__ import annotations

from typing import Any

import pytest

from connector.config import ConfigDef
from connector.plugin_table import PluginTable
from connector.worker.herder import Herder
from connector.worker.nested_plugins import chain_keys, check_chain, group_by_alias
from tests.fixtures.idle_connector import IDLE_ROWS
from tests.fixtures.validation import faults, validate


class CountedDict(dict[str, str]):
    """Counts how often all its entries are read."""

    passes = 0

    def items(self) -> Any:
        self.passes += 1
        return super().items()


@pytest.mark.parametrize("number", [2, 200])
def test_validation_reads_the_configuration_a_fixed_number_of_times(number: int) -> None:
    """One pass for each alias would make validation quadratic."""
    names = [f"a{count}" for count in range(number)]
    config = CountedDict(transforms=",".join(names), predicates=",".join(names))
    for name in names:
        for what in ("transforms", "predicates"):
            config |= {f"{what}.{name}.type": "Word$Key", f"{what}.{name}.word": "x"}
    plugins = PluginTable(IDLE_ROWS)
    found = chain_keys(config, plugins)
    report = found.check(config)
    check_chain(config, plugins, report)
    assert len(list(ConfigDef(found))) > 2 * number
    assert config.passes == 2


def test_an_alias_may_begin_with_another_and_a_dot() -> None:
    config = {"p.a.type": "1", "p.a.b.type": "2", "p..type": "3", "p.": "4", "q.a.type": "5"}
    assert group_by_alias(config, "p", ["a", "a.b", "", "c"]) == {
        "a": {"type": "1", "b.type": "2"},
        "a.b": {"type": "2"},
        "": {"type": "3"},
        "c": {},
    }


def test_transforms_whose_aliases_hold_dots_are_built(herder: Herder) -> None:
    infos = validate(
        herder,
        transforms="a,a.b",
        transforms__a__type="Word$Key",
        transforms__a__word="x",
        transforms__a__b__type="Word$Key",
        transforms__a__b__word="forbidden",
    )
    assert faults(infos) == {"transforms.a.b.type": ["The word is forbidden."]}


@pytest.mark.parametrize("what", ["transforms", "predicates", "topic.creation.groups"])
def test_a_list_of_names_has_a_limit(herder: Herder, what: str) -> None:
    """The answer describes keys of each name: without a limit it could fill the memory."""
    text = ",".join(f"a{number}" for number in range(20_000))
    config = {what.replace(".", "__"): text, "topic__creation__default__partitions": "1"}
    infos = validate(herder, **config)
    assert faults(infos)[what] == [
        f"Configuration '{what}' has 20000 names; at most 1000 are allowed."
    ]
    assert len(infos.configs) < 5000
