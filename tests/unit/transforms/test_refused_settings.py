"""Settings of transforms that validation refuses, in the words of Kafka Connect."""

from __future__ import annotations

import pytest

from connector.config import ConfigDef
from connector.transforms.by_logical_table_router import ByLogicalTableRouter
from connector.transforms.headers import DropHeaders
from connector.transforms.mask_field import MaskFieldValue
from connector.transforms.replace_field import ReplaceFieldValue
from connector.transforms.value_to_key import ValueToKey


@pytest.mark.parametrize(
    ("config_def", "key"),
    [
        (MaskFieldValue.config_def, "fields"),
        (ValueToKey.config_def, "fields"),
        (DropHeaders.config_def, "headers"),
        (ReplaceFieldValue.config_def, "exclude"),
        (ReplaceFieldValue.config_def, "include"),
    ],
)
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a,b,a", "Configuration '{}' values must not be duplicated."),
        ("a,,b", "Configuration '{}' values must not be empty."),
        ("a,", "Configuration '{}' values must not be empty."),
        (",", "Configuration '{}' values must not be duplicated."),
        ("a , b", None),
    ],
)
def test_names_of_a_list(config_def: ConfigDef, key: str, text: str, fault: str | None) -> None:
    expected = [fault.format(key)] if fault else []
    assert config_def.check({key: text})[key].errors == expected


@pytest.mark.parametrize("size", ["0", "-1"])
def test_a_cache_of_logical_tables_may_be_empty(size: str) -> None:
    """Debezium takes any number; nothing depends on it."""
    report = ByLogicalTableRouter.config_def.check({"logical.table.cache.size": size})
    assert report["logical.table.cache.size"].errors == []
