"""A configuration is read as written, and every error names its key and shows no value."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparksink.config.file import load, parse
from sparksink.errors import ConfigError
from tests.unit.sparksink.least_config import LEAST, changed, source

EXAMPLES = sorted((Path(__file__).parents[3] / "config-examples").glob("*.yaml"))


def test_the_least_has_documented_defaults() -> None:
    config = parse(LEAST)
    assert config.trigger.interval == 30
    assert config.mirror.deletes == "hard"
    assert config.mirror.tombstone_retention == 7 * 86400
    assert config.source.max_offsets_per_trigger == 1_000_000
    assert config.target.format == "delta"


@pytest.mark.parametrize("file", EXAMPLES, ids=[file.name for file in EXAMPLES])
def test_an_example_is_valid(file: Path) -> None:
    config = load(file, {})
    assert config.source.ddl_topic == config.source.topics.partition("\\")[0]


def test_keys_of_the_kafka_client_are_passed_through() -> None:
    config = parse(source(kafka_security_protocol="SASL_SSL"))
    assert config.source.kafka == {"security.protocol": "SASL_SSL"}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (source(max_offset=3), "source.max.offset: unknown key"),
        (source(starting_offset=3), "source.starting.offset: unknown key; did you mean starting."),
        (changed(deletes="soft"), "deletes: unknown key; did you mean mirror: deletes?"),
        (changed(color="red"), "color: unknown key"),
        (changed(trigger={"interval": 5}), "trigger.interval: a duration is a number and a unit"),
        (changed(source={"topics": "x"}), "source: bootstrap.servers is required"),
        (changed(source={"topics": "x", "kind": "file"}), "source: path is required"),
        (source(database={"url": "jdbc:postgresql://h/d", "user": "u"}), "source: database.url is jdbc:mariadb://"),
        (changed(nopk="key:"), "nopk: String should match pattern"),
        (changed(nopk="bag"), "nopk: String should match pattern"),
        (source(topics="("), "source.topics: not a regular expression"),
        (changed(target={"path": "/t", "table.name": "{db}"}), "target: {db}: a name has {table}"),
        (changed(target={"path": "/t", "format": "orc"}), "target.format: Input should be"),
        (changed(target={"path": "lake"}), "target: path is absolute or a URI"),
        (changed(target={"path": "/t", "format": "jdbc"}), "target: format: jdbc needs jdbc.url"),
        (changed(target={"path": "/t", "format": "jdbc",
                         "jdbc": {"url": "jdbc:oracle://h/d?password=hunter2", "user": "u"}}),
         "target.jdbc: url is jdbc:mariadb://HOST:PORT/DATABASE or jdbc:postgresql://…"),
        (changed(mirror={"scd": 2, "deletes": "soft"}), "mirror: scd=2 ends the version"),
        (changed(evolution={"drop": "drop"}), "the file: evolution.drop=drop needs source.ddl"),
        (changed(evolution={"conflict": "rewrite"}, types={"time": "micros"}),
         "the file: evolution.conflict=rewrite needs types.time=string"),
        (changed(evolution={"conflict": "rewrite"}, history={"before": "struct"}),
         "the file: evolution.conflict=rewrite does not work with history.before=struct"),
        (changed(evolution={"conflict": "new_column"}, columns={"null.updates": "keep"}),
         "the file: evolution.conflict=new_column does not work with columns.null.updates"),
        (changed(evolution={"conflict": "new_column"},
                 mirror={"scd": 2, "track.columns": ["a"]}),
         "the file: evolution.conflict=new_column does not work with mirror.track.columns"),
        (changed(evolution={"nullability": "keep"}), "evolution.nullability: Input should be"),
        (changed(ordering={"mode": "column: "}), "ordering.mode: String should match"),
        (changed(ordering={"mode": "column:a"}), "the file: ordering.mode=column needs mirror.swe"),
        (changed(ordering={"mode": "kafka"}, mirror={"sweep": False, "truncate": "ignore"},
                 tables=[{"match": "a", "mirror": {"sweep": True}}]),
         "the file: ordering.mode=kafka needs mirror.sweep=false and mirror.truncate=ignore"),
        (changed(ordering={"mode": "column:a"}, nopk="bag_view",
                 mirror={"sweep": False, "truncate": "ignore"}),
         "the file: ordering.mode=column works neither with mirror.scd=2 nor with nopk=bag_view"),
        (changed(ordering={"mode": "column:a", "epoch": "header"}),
         "ordering: mode=column:… needs epoch=none"),
        (changed(ordering={"epoch": {"map": {"uuid": 1}}}), "ordering.epoch: map is not supported"),
        (changed(ordering={"epoch": "map:{1: 1}"}), "ordering.epoch: map is not supported"),
        (changed(ordering={"on.position.regression": "new_epoch"}),
         "ordering.on.position.regression: new_epoch is not supported: after a failover"),
        (changed(types={"year": "date"}), "types.year: Input should be 'int'"),
        (changed(columns={"unavailable.value": "?"}), "columns: unavailable.value needs null.upd"),
        (changed(columns={"null.updates": "keep"},
                 tables=[{"match": "a", "mirror": {"scd": 2}}]),
         "the file: columns.null.updates=keep works with mirror.scd=1 only"),
        (changed(nopk="bag_view", columns={"null.updates": "keep"}),
         "the file: columns.null.updates=keep works with mirror.scd=1 only"),
        (changed(columns={"null.updates": "keep"},
                 target={"path": "/t", "format": "jdbc",
                         "jdbc": {"url": "jdbc:mariadb://h/d", "user": "u"}}),
         "the file: columns.null.updates=keep works with mirror.scd=1 only"),
        (changed(target={"path": "/t", "partition.by": ["days(made)"]}),
         "the file: partition.by=days(…) needs format: iceberg"),
        (changed(target={"path": "/t", "partition.by": ["a"], "cluster.by": ["b"]}),
         "the file: a Delta table has partition.by or cluster.by"),
        (changed(tables=[{"match": "a", "target": {"partition.by": ["bucket(0, id)"]}}]),
         "the file: partition.by: bucket(0, id) is neither a column nor"),
        (changed(target={"path": "/t", "format": "parquet"}),
         "the file: target.format: parquet supports histories only"),
        (changed(target={"path": "/t", "format": "parquet", "cluster.by": ["id"]}),
         "target: format: parquet supports histories only: set history.partition.by"),
        (changed(target={"path": "/t", "format": "parquet"}, mirror={"enabled": False},
                 history={"enabled": True, "dedupe": "event_id"}),
         "the file: target.format: parquet supports history.dedupe=none or replay"),
        (changed(tables=[{"match": "a", "target": {"name": "{schema}"}}]),
         "tables.a.target: {schema}: only {db} and {table} are available"),
        (changed(tables=[{"match": "a", "target": {"history.name": "a b"}}]),
         "tables.a.target: a b: a name has letters"),
        (changed(mirror={"truncate": "soft"}), "mirror: truncate=soft needs deletes=soft"),
        (changed(mirror={"track.columns": ["a"]}), "mirror: track.columns needs scd=2"),
        (changed(history={"dedupe": "replay"},
                 ordering={"on.position.regression": "ignore"}),
         "the file: history.dedupe=replay skips messages whose positions"),
        (changed(tables=[{"match": "a", "history": {"dedupe": "event_id"}}],
                 ordering={"mode": "kafka"}, mirror={"sweep": False, "truncate": "ignore"}),
         "the file: history.dedupe=event_id needs ordering.mode=binlog"),
        (changed(target={"path": "/t", "format": "jdbc",
                         "jdbc": {"url": "jdbc:mariadb://h/d", "user": "u"}},
                 history={"before": "struct"}),
         "the file: history.before=struct needs a target of files"),
        (changed(tables=[{"match": "a", "target": {"path": "/t"}}]),
         "tables.a.target.path: unknown key"),
        (changed(target={"path": "/t", "format": "jdbc",
                         "jdbc": {"url": "jdbc:mariadb://h/d", "user": "u"}},
                 history={"partition.by": ["id"]}),
         "the file: partition.by and cluster.by need a target of files"),
        (changed(target={"path": "/t", "catalog": {"type": "hive"}}),
         "target: catalog needs format: iceberg"),
        (changed(tables=[{"match": "a", "mirror": {"delets": "soft"}}]),
         "tables.a.mirror.delets: unknown key; did you mean deletes?"),
    ],
)  # fmt: skip
def test_an_error_names_its_key(document: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(document)
    assert str(caught.value).startswith(message)


def test_keys_of_the_catalog_are_passed_through() -> None:
    catalog = {"name": "shop", "type": "rest", "uri": "https://c", "credential": "hunter2"}
    config = parse(changed(target={"path": "/t", "format": "iceberg", "catalog": catalog}))
    assert (config.target.catalog.name, config.target.catalog.namespace) == ("shop", "default")
    assert config.target.catalog.properties == {
        "type": "rest",
        "uri": "https://c",
        "credential": "hunter2",
    }
    assert "hunter2" not in repr(config)


def test_a_secret_is_in_no_message_and_no_representation(tmp_path: Path) -> None:
    file = tmp_path / "sink.yaml"
    file.write_text(
        "name: s\nsource: {bootstrap.servers: b, topics: t, kafka.password: '${env:SECRET}',\n"
        "  schema.registry: {url: u, basic.auth: '${env:SECRET}'}}\n"
        "checkpoint: c\ntarget: {path: /p}\n"
    )
    config = load(file, {"SECRET": "hunter2"})
    assert config.source.kafka == {"password": "hunter2"}
    assert "hunter2" not in repr(config)
    with pytest.raises(ConfigError) as caught:
        load(file, {"SECRET": "hunter2"}, ["trigger.interval=hunter2"])
    assert "hunter2" not in str(caught.value)


def test_references_and_overrides(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("b:9092\n")
    file = tmp_path / "sink.yaml"
    file.write_text(
        f"name: s\nsource: {{bootstrap.servers: '${{file:{secret}}}', topics: t}}\n"
        "checkpoint: c\ntarget: {path: /p}\n"
    )
    config = load(file, {}, ["mirror.deletes=soft", "nopk=fail", "trigger.interval=2m"])
    assert config.source.bootstrap_servers == "b:9092"
    assert (config.mirror.deletes, config.nopk, config.trigger.interval) == ("soft", "fail", 120)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is not YAML: line"),
        ("", "has no keys"),
        ("name: '${env:NONE}'", "the environment variable does not exist"),
        ("name: '${file:/none}'", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "sink.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message.replace("$", r"\$")):
        load(file, {})


def test_the_first_override_that_matches_wins() -> None:
    config = parse(
        changed(
            mirror={"deletes": "soft", "tombstone.retention": "1d"},
            tables=[
                {"match": r"shop\.orders", "keys": ["id"], "mirror": {"truncate": "ignore"}},
                {"match": r"shop\..*", "nopk": "fail", "history": {"enabled": True}},
            ],
        )
    )
    orders, others, elsewhere = (config.table(n) for n in ("shop.orders", "shop.x", "hr.x"))
    assert (orders.keys, orders.mirror.truncate, orders.mirror.deletes) == (
        ["id"],
        "ignore",
        "soft",
    )
    assert orders.mirror.tombstone_retention == 86400
    assert (orders.nopk, others.nopk, elsewhere.nopk) == ("history", "fail", "history")
    assert (others.history.enabled, elsewhere.history.enabled) == (True, False)
