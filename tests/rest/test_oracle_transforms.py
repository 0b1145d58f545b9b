"""Transforms and predicates in the REST API: definitions and validation as in Kafka Connect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from connector.plugin_table import ROWS
from tests.fixtures.worker import WorkerProcess
from tools.stack import ConnectWorker
from tools.stack.http import http

MYSQL = "io.debezium.connector.mysql.MySqlConnector"
KAFKA = "org.apache.kafka.connect.transforms."
DEBEZIUM = "io.debezium.transforms."
SCRIPTING = {DEBEZIUM + "ContentBasedRouter", DEBEZIUM + "Filter"}  # of an older version
CLASSES = [row.class_name for row in ROWS if row.kind in ("transformation", "predicate")]


def _definition(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition without its text and a second form of its order, which are our own."""
    left_out = ("documentation", "order")
    return {name: text for name, text in definition.items() if name not in left_out}


@pytest.mark.parametrize("class_name", CLASSES)
def test_the_keys_of_a_class(
    connect_worker: ConnectWorker, worker: WorkerProcess, class_name: str
) -> None:
    path = f"/connector-plugins/{class_name.replace('$', '%24')}/config"
    theirs, ours = (http.get(url + path, timeout=60) for url in (connect_worker.url, worker.url))
    assert list(map(_definition, ours.json())) == list(map(_definition, theirs.json()))


def test_the_classes_are_listed_with_their_versions(
    connect_worker: ConnectWorker, worker: WorkerProcess
) -> None:
    theirs, ours = (
        http.get(f"{url}/connector-plugins?connectorsOnly=false", timeout=60).json()
        for url in (connect_worker.url, worker.url)
    )
    assert {row["class"] for row in ours} >= set(CLASSES)
    assert {row["class"] for row in theirs} >= set(CLASSES)
    names = set(CLASSES) - SCRIPTING
    assert [row for row in ours if row["class"] in names and row not in theirs] == []


def _transform(class_name: str, **options: str) -> dict[str, str]:
    below = {"transforms.a." + key.replace("_", "."): text for key, text in options.items()}
    return {"transforms": "a", "transforms.a.type": class_name, **below}


def _predicate(class_name: str, **options: str) -> dict[str, str]:
    below = {f"predicates.p.{key}": text for key, text in options.items()}
    return {"predicates": "p", "predicates.p.type": KAFKA + "predicates." + class_name, **below}


SAME = [
    *(_transform(class_name) for class_name in CLASSES if ".predicates." not in class_name
      and class_name.startswith(KAFKA) and not class_name.startswith(KAFKA + ("SetSchema"))
      and not class_name.startswith(KAFKA + "InsertField")),
    _transform(KAFKA + "InsertField$Value", static_field="a", static_value="b"),
    _transform(KAFKA + "SetSchemaMetadata$Value", schema_version="x"),
    _transform(KAFKA + "Cast$Value", spec="a:int8,b:string", replace_null_with_default="no"),
    _transform(KAFKA + "Cast$Value", spec=""),
    _transform(KAFKA + "Cast$Value", spec="a:b:c"),
    _transform(KAFKA + "Cast$Value", spec="a:bytes"),
    _transform(KAFKA + "Cast$Value", spec="int8,int8"),
    _transform(KAFKA + "ReplaceField$Value", renames="a:b,c"),
    _transform(KAFKA + "ReplaceField$Value", include="a, b"),
    _transform(KAFKA + "MaskField$Value", fields="", replacement=""),
    _transform(KAFKA + "ValueToKey", fields=""),
    _transform(KAFKA + "ExtractField$Key", field="a", field_syntax_version="V3"),
    _transform(KAFKA + "ExtractField$Key", field="a", field_syntax_version="v2"),
    _transform(KAFKA + "HeaderFrom$Key", fields="a", headers="b", operation="MOVE"),
    _transform(KAFKA + "HeaderFrom$Key", fields="", headers="", operation="x"),
    _transform(KAFKA + "DropHeaders", headers=""),
    _transform(KAFKA + "DropHeaders", headers="a,a"),
    _transform(KAFKA + "MaskField$Key", fields="a,b,a"),
    _transform(KAFKA + "ReplaceField$Key", include="a,a", exclude="b,b"),
    _transform(KAFKA + "TimestampConverter$Value", target_type="x", unix_precision="y"),
    _transform(KAFKA + "RegexRouter", regex="a", replacement="b", negate="x"),
    _transform(KAFKA + "Filter", negate="true"),
    {"transforms": "a"},
    {"transforms": "a,a"},
    _transform(DEBEZIUM + "ExtractNewRecordState", add_fields="op,table"),
    _transform(DEBEZIUM + "ExtractNewRecordState", delete_tombstone_handling_mode="x"),
    _transform(DEBEZIUM + "ExtractNewRecordState", drop_fields_from_key="x"),
    _transform(DEBEZIUM + "ExtractChangedRecordState"),
    _transform(DEBEZIUM + "ExtractSchemaToNewRecord"),
    _transform(DEBEZIUM + "EnforceRecordSize"),
    _transform(DEBEZIUM + "EnforceRecordSize", max_bytes="x", compression_ratio="y"),
    _transform(DEBEZIUM + "EnforceRecordSize", max_bytes="9", min_field_size="1.5"),
    _transform(DEBEZIUM + "EnforceRecordSize", max_bytes="9", compression_ratio="0.50"),
    _transform(DEBEZIUM + "ByLogicalTableRouter", topic_regex="a", topic_replacement="b"),
    _transform(DEBEZIUM + "HeaderToValue", headers="a", fields="b", operation="move"),
    _transform(DEBEZIUM + "SwapGeometryCoordinates"),
    _transform(DEBEZIUM + "GeometryFormatTransformer"),
    _transform(DEBEZIUM + "GeometryFormatTransformer", format="ewkb"),
    _transform(DEBEZIUM + "VectorToJsonConverter"),
    _transform(DEBEZIUM + "tracing.ActivateTracingSpan"),
    _transform(DEBEZIUM + "ExtractNewRecordState", drop_fields_from_key="true", add_headers="op"),
    _transform(DEBEZIUM + "SchemaChangeEventFilter", schema_change_event_exclude_list="DROP"),
    _transform(DEBEZIUM + "TimezoneConverter", converted_timezone="UTC"),
    _transform(DEBEZIUM + "outbox.EventRouter"),
    _transform(
        DEBEZIUM + "partitions.PartitionRouting",
        partition_payload_fields="a", partition_topic_num="2",
    ),
    _transform("io.debezium.connector.mysql.transforms.ReadToInsertEvent"),
    _predicate("TopicNameMatches"),
    _predicate("TopicNameMatches", pattern=""),
    _predicate("TopicNameMatches", pattern="a.*"),
    _predicate("HasHeaderKey", name=""),
    _predicate("RecordIsTombstone"),
    _predicate("RecordIsTombstone", negate="true"),
    _predicate("HasHeaderKey", **{"name": "a", "plugin.version": "[9,)"}),
    _transform(KAFKA + "Cast"),
    _transform(KAFKA + "Cast", negate="true"),
    _transform(KAFKA + "predicates.HasHeaderKey", negate="false"),
    _transform(KAFKA + "Filter", plugin_version="[9,)"),
    _transform(KAFKA + "Filter", plugin_version="[1"),
    _transform(KAFKA + "Filter", plugin_version="[4,5)"),
    _transform(KAFKA + "MaskField$Value", fields="a,,b"),
    _transform(KAFKA + "ReplaceField$Value", exclude="a,"),
    _transform(KAFKA + "HoistField$Value", field="\u00a0"),
    _transform(DEBEZIUM + "EnforceRecordSize", max_bytes="9", compression_ratio="0x1p3"),
    _transform(DEBEZIUM + "EnforceRecordSize", max_bytes="9", compression_ratio="inf"),
    {**_transform(KAFKA + "Filter", predicate="p"), **_predicate("HasHeaderKey", name="a")},
]  # fmt: skip


def _answer(url: str, config: dict[str, str]) -> tuple[list[str], dict[str, Any]]:
    body = {"name": "x", "connector.class": MYSQL, **config}
    path = f"/connector-plugins/{MYSQL}/config/validate"
    found = http.put(url + path, json=body, timeout=60).json()
    groups = [name for name in found["groups"] if name.startswith(("Transforms", "Predicates"))]
    return groups, dict(_nested(found["configs"]))


def _nested(configs: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    for config in configs:
        definition, value = config["definition"], config["value"]
        if value is not None and value["name"].startswith(("transforms", "predicates")):
            kept = {**value, "errors": _errors(value["errors"])}
            recommended = value["recommended_values"]
            if value["name"].endswith(".type"):  # the classes that there are
                kept["recommended_values"] = sorted({*recommended} & {*CLASSES})
            elif value["name"].endswith(".plugin.version"):  # Debezium's is there twice
                kept["recommended_values"] = recommended[-1:]
            yield value["name"], (definition and _definition(definition), kept)


def _errors(errors: list[str]) -> list[str]:
    """Return the errors; Kafka checks a missing value, too, and reports that null is wrong."""
    return errors[:1] if errors and errors[0].startswith("Missing required") else errors


@pytest.mark.parametrize("config", SAME, ids=lambda config: "-".join(config.values())[-80:])
def test_the_answer_to_a_validation(
    connect_worker: ConnectWorker, worker: WorkerProcess, config: dict[str, str]
) -> None:
    theirs, ours = _answer(connect_worker.url, config), _answer(worker.url, config)
    assert list(ours[1]) == list(theirs[1])
    assert ours == theirs
