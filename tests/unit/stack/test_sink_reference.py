"""The page of the sink's keys is generated from the definitions, which describe each key."""

import re

from sparksink.config.keys import SinkConfig
from tools.sink_reference import FILE, page

ROW = re.compile(r"^\| `([^`]+)` \| ([^|]*) \| ([^|]*) \| (.*) \|$", re.MULTILINE)


def rows() -> dict[str, tuple[str, str, str]]:
    return {key: (value, default, meaning) for key, value, default, meaning in ROW.findall(page())}


def test_the_page_is_up_to_date() -> None:
    assert FILE.read_text("utf-8") == page(), "run: make reference"


def test_every_section_and_key_of_the_top_is_on_the_page() -> None:
    found = {key.partition(".")[0] for key in rows()}
    assert found == {field.alias or name for name, field in SinkConfig.model_fields.items()}


def test_every_key_has_values_and_a_meaning() -> None:
    for key, (value, default, meaning) in rows().items():
        assert value, key
        assert default, key
        assert meaning.endswith("."), key


def test_values_and_defaults_are_written_as_in_the_file() -> None:
    found = rows()
    assert found["mirror.tombstone.retention"][:2] == ("duration", "`7d`")
    assert found["errors.backoff"][:2] == ("duration", "`1s`")
    assert found["maintenance.expire.snapshots"][:2] == ("duration", "none")
    assert found["source.topics"][:2] == ("regular expression", "*required*")
    assert found["evolution.drop"][:2] == ("`keep`, `drop`", "`keep`")
    assert found["parallelism.batch.partitions"][:2] == ("number, `auto`", "`auto`")
    assert found["metrics.log.json"][:2] == ("boolean", "false")
    assert found["source.kafka.…"][:2] == ("map", "none")
