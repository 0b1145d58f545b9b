"""Settings of errors, maintenance and offset bounds; and unsupported keys with alternatives."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from sparksink.cli import parser
from sparksink.config.file import parse
from sparksink.config.offsets import millis, parse_bound
from sparksink.config.operation import Maintenance
from sparksink.config.source import Source
from sparksink.config.unsupported import UNSUPPORTED
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.errors import ConfigError
from sparksink.schemas.registry import SchemaRegistryClient
from sparksink.source import routed_tables
from sparksink.source.offset_bounds import bound_options
from sparksink.state.table_result import TableResult
from sparksink.status.progress import batch_json
from tests.unit.sparksink.least_config import LEAST, changed, source

FILE = {"kind": "file", "path": "p", "topics": "t"}


@pytest.mark.parametrize(
    ("document", "found"),
    [
        (source(format="xml"), "source.format: Input should be"),
        (source(route="topics"), "source.route: String should match"),
        (source(route="header:"), "source.route: String should match"),
        (source(route="source", transaction_topic="t"), "source: transaction.topic needs route"),
        (source(route="source", format="avro"), "source: route: source reads JSON only"),
        (source(starting_offsets="first"), "source.starting.offsets: write earliest, latest"),
        (source(starting_offsets={"t": {"0": "5"}}), "source.starting.offsets: write earliest"),
        (source(starting_offsets={"t": {"a": 5}}), "source.starting.offsets: write earliest"),
        (source(starting_offsets="[]"), "source.starting.offsets: write earliest"),
        (source(starting_offsets="timestamp:2026-01-01T00:00:00"), "source.starting.offsets: a t"),
        (source(starting_offsets="timestamp:soon"), "source.starting.offsets: Invalid isoformat"),
        (source(max_trigger_delay="1m"), "source: max.trigger.delay needs min.offsets.per.trig"),
        (source(min_offsets_per_trigger=9, max_offsets_per_trigger=8), "source: min.offsets.per"),
        (changed(source={**FILE, "min.offsets.per.trigger": 1}), "source: min.offsets.per.trigger"),
        (changed(source={**FILE, "starting.offsets": "latest"}), "source: starting.offsets needs"),
        (source(kind="kafka_py", min_offsets_per_trigger=1),
         "source: min.offsets.per.trigger needs kind: kafka, as a Python"),
        (source(kind="kafka_py", max_trigger_delay="1m"), "source: max.trigger.delay needs"),
        ({**source(kind="kafka_py"), "dlq": {"topic": "d"}}, "the file: dlq.topic needs"),
        (changed(errors={"max.ratio": 2}), "errors.max.ratio: Input should be less"),
        (changed(errors={"malformed": "park"}), "errors.malformed: Input should be"),
        (changed(errors={"backoff": 1}), "errors.backoff: a duration is a number and a unit"),
        (changed(dlq={"table": "a.b"}), "dlq.table: String should match"),
        (changed(dlq={"topic": "srv.dead"}), "the file: dlq.topic matches source.topics"),
        (changed(source=FILE, dlq={"topic": "d"}), "the file: dlq.topic needs source.kind: kafka"),
        (changed(maintenance={"optimize.window": "01:00-05:00"}), "maintenance: optimize.window n"),
        (changed(maintenance={"compact.every": 1, "optimize.window": "1-5"}),
         "maintenance.optimize.window: a window is two times of the day in UTC"),
        (changed(maintenance={"compact.every": 1, "optimize.window": "02:00-02:00"}),
         "maintenance.optimize.window: the start and the end"),
        (changed(maintenance={"expire.snapshots": "7d"}), "the file: maintenance.expire.snapshots"),
        (changed(metrics={"textfile": "/var/sink.txt"}), "metrics.textfile: String should match"),
    ],
)  # fmt: skip
def test_an_error_names_its_key(document: dict[str, object], found: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(document)
    assert str(caught.value).startswith(found)


def test_defaults_are_what_was_before_there_were_these_keys() -> None:
    config = parse(LEAST)
    assert (config.source.format, config.source.route) == ("auto", "topic")
    assert (config.source.starting_offsets, config.source.min_offsets_per_trigger) == (
        "earliest",
        0,
    )
    assert (config.errors.malformed, config.errors.max_ratio, config.errors.backoff) == (
        "dlq",
        1,
        1,
    )
    assert (config.dlq.table, config.dlq.topic) == ("dead_letter", None)
    assert (config.maintenance.compact_every, config.maintenance.expire_snapshots) == (0, None)
    assert (config.metrics.textfile, config.metrics.log_json) == (None, False)


@pytest.mark.parametrize(("place", "why"), UNSUPPORTED.items(), ids=lambda one: str(one[0]))
def test_a_key_that_is_not_supported_says_what_to_do_instead(
    place: tuple[str, str], why: str
) -> None:
    section, key = place
    there = LEAST.get(section, {})
    assert isinstance(there, dict)
    with pytest.raises(ConfigError) as caught:
        parse(changed(**{section: {**there, key: "x"}}))
    assert f"{section}.{key}" in str(caught.value)
    assert str(caught.value).endswith(f"is not supported: {why}")


def test_the_value_that_is_supported_beside_one_that_is_not_is_taken() -> None:
    assert parse(source(kind="kafka")).source.kind == "kafka"


def test_a_topic_that_is_excluded_may_take_dead_letters() -> None:
    excluded = source(topics_exclude=r"srv\.dead")
    assert parse({**excluded, "dlq": {"topic": "srv.dead"}}).dlq.topic == "srv.dead"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("earliest", {"startingOffsets": "earliest"}),
        ('{"t": {"0": -2}}', {"startingOffsets": '{"t": {"0": -2}}'}),
        (
            "timestamp:1970-01-01T01:00:01+01:00",
            {"startingTimestamp": "1000", "startingOffsetsByTimestampStrategy": "latest"},
        ),
    ],
)
def test_a_bound_becomes_an_option_of_spark(text: str, found: dict[str, str]) -> None:
    assert bound_options("starting", parse_bound(text)) == found


def test_the_end_of_what_is_read_has_no_strategy() -> None:
    assert bound_options("ending", "timestamp:1970-01-01T00:00:01Z") == {"endingTimestamp": "1000"}
    assert millis("2026-01-01T00:00:00Z") == 1_767_225_600_000


@pytest.mark.parametrize(
    ("window", "hour", "is_open"),
    [
        (None, 12, True),
        ("01:00-05:00", 1, True),
        ("01:00-05:00", 5, False),
        ("01:00-05:00", 0, False),
        ("22:00-02:00", 23, True),
        ("22:00-02:00", 1, True),
        ("22:00-02:00", 2, False),
        ("22:00-02:00", 12, False),
    ],
)
def test_a_window_is_open_between_its_times_in_utc(
    window: str | None, hour: int, is_open: bool
) -> None:
    rules = Maintenance.model_validate({"compact.every": 1, "optimize.window": window})
    moment = datetime(2026, 1, 1, hour, tzinfo=UTC)
    assert rules.is_open(moment) == is_open
    assert rules.is_open(moment.astimezone(timezone(timedelta(hours=7)))) == is_open


def test_routed_tables_are_topics_with_a_table() -> None:
    assert routed_tables.table_name_parts("srv.shop.orders") == ["srv", "shop", "orders"]
    assert routed_tables.table_name_parts("srv.all/shop.orders") == ["shop", "orders"]
    assert routed_tables.table_name_parts("srv.all/") == ["srv", "all"]
    assert (routed_tables.topic_of("srv.all/shop.orders"), routed_tables.topic_of("srv.all")) == (
        "srv.all",
        "srv.all",
    )
    assert [routed_tables.is_table(one) for one in ("srv.all", "a/b.c", "srv.all/")] == [
        True,
        True,
        False,
    ]


def test_a_batch_is_logged_as_one_line_of_json() -> None:
    done = [
        TableResult("shop.a", "7", 5, 1, source_ts=datetime.now(UTC) - timedelta(seconds=9)),
        TableResult("shop.b"),
    ]
    line = batch_json(3, done, {"shop.b": "why"}, {"shop.a": 9.25}, 0.5)
    assert "\n" not in line
    found = json.loads(line)
    assert (found["batch"], found["seconds"], found["changes"], found["dead_letters"]) == (
        3,
        0.5,
        5,
        1,
    )
    assert found["tables"][0]["source_lag_seconds"] == 9.25
    assert found["tables"][1] == {
        "table": "shop.b", "changes": 0, "dead_letters": 0, "seconds": 0.0,
        "source_lag_seconds": None, "parked": True, "version": "",
    }  # fmt: skip


@pytest.fixture
def registry_server() -> Iterator[tuple[str, list[str]]]:
    """Serve one Avro schema as a registry does; yield its address and the requested paths."""
    paths: list[str] = []
    schema = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]}

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"schema": json.dumps(schema)}).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("ttl", "times"), [(None, 1), ("1ms", 2), ("1h", 1)])
def test_a_schema_is_requested_again_after_its_ttl(
    registry_server: tuple[str, list[str]], ttl: str | None, times: int
) -> None:
    url, paths = registry_server
    given = {"url": url} if ttl is None else {"url": url, "cache.ttl": ttl}
    config = Source.model_validate({**FILE, "schema.registry": given})
    layouts = MessageSchemas(
        lambda _: None, SchemaRegistryClient(config.schema_registry).schema, config
    )
    for _ in range(2):
        if not layouts.has_schema("t", "avro:7"):
            layouts.add_schema("t", "avro:7", b"")
        time.sleep(0.01)
    assert paths == ["/schemas/ids/7"] * times


@pytest.mark.parametrize("command", ["compact", "vacuum"])
def test_both_names_of_compaction_are_commands(command: str) -> None:
    options = parser().parse_args([command, "--config", "c", "--tables", "a"])
    assert (options.command, options.tables) == (command, "a")


def test_a_backfill_takes_two_bounds() -> None:
    given = parser().parse_args(["backfill", "--config", "c", "--from", "latest", "--to", "o.json"])
    usual = parser().parse_args(["backfill", "--config", "c"])
    assert (given.start, given.end) == ("latest", "o.json")
    assert (usual.start, usual.end) == ("earliest", "latest")
