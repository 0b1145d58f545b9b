"""Random chains of compilable transforms, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from connector.plugin import TransformStep
from connector.plugin_table import PluginTable

FIELDS = ("id", "a", "b", "c", "d")
_ENVELOPE = ("before", "after", "source", "transaction", "op", "ts_ms", "ts_ns")
_NAMES = st.sampled_from([*FIELDS, *FIELDS, *_ENVELOPE, "__op", "made", "none"])
_LISTS = st.lists(_NAMES, min_size=1, max_size=4, unique=True)
_TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string")
_MODES = ("drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone")
_METADATA = st.lists(
    st.sampled_from(["op", "table", "source.row", "ts_ms", "id:tx", "total_order", "nope"]),
    max_size=3,
    unique=True,
)
_KAFKA, _DEBEZIUM = "org.apache.kafka.connect.transforms", "io.debezium.transforms"
_PARTS = st.sampled_from(["$Key", "$Value", "$Value"])

Config = dict[str, str]


def _joined(lists: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    return lists.map(",".join)


def _of(name: str, /, **settings: Any) -> st.SearchStrategy[Config]:
    """Return configurations; a setting is a text or a strategy."""
    return st.fixed_dictionaries(
        {
            "type": st.just(f"{_KAFKA}.{name}"),
            **{
                key.replace("_", "."): value
                if isinstance(value, st.SearchStrategy)
                else st.just(value)
                for key, value in settings.items()
            },
        }
    )


def _part(name: str, /, **settings: Any) -> st.SearchStrategy[Config]:
    """Return configurations for the key or the value."""
    flag = st.sampled_from(["true", "false"])
    configs = _of(name, replace_null_with_default=flag, **settings)
    return st.tuples(configs, _PARTS).map(
        lambda pair: {**pair[0], "type": pair[0]["type"] + pair[1]}
    )


_UNWRAP = st.builds(
    lambda mode, fields, headers: {
        "type": f"{_DEBEZIUM}.ExtractNewRecordState",
        "delete.tombstone.handling.mode": mode,
        "add.fields": fields,
        "add.headers": headers,
    },
    st.sampled_from(_MODES),
    _joined(_METADATA),
    _joined(_METADATA),
)
_ROUTE = st.builds(
    lambda unique: {
        "type": f"{_DEBEZIUM}.ByLogicalTableRouter",
        "topic.regex": "(.*)orders",
        "topic.replacement": "$1all",
        "key.enforce.uniqueness": unique,
    },
    st.sampled_from(["true", "false"]),
)
_READ = st.just({"type": "io.debezium.connector.mysql.transforms.ReadToInsertEvent"})
_CASTS = st.lists(st.tuples(_NAMES, st.sampled_from(_TYPES)), min_size=1, max_size=3).map(
    lambda pairs: ",".join(f"{name}:{kind}" for name, kind in dict(pairs).items())
)
_RENAMES = st.lists(st.tuples(_NAMES, st.sampled_from(["x", "y", "id"])), max_size=2).map(
    lambda pairs: ",".join(f"{name}:{new}" for name, new in dict(pairs).items())
)
_HEADER = st.lists(_NAMES, min_size=1, max_size=2, unique=True).flatmap(
    lambda names: _part(
        "HeaderFrom",
        fields=",".join(names),
        headers=",".join(f"h.{name}" for name in names),
        operation=st.sampled_from(["copy", "move"]),
    )
)
_CONDITIONS = st.builds(
    lambda condition, nulls: {
        "type": f"{_DEBEZIUM}.Filter",
        "language": "cel",
        "condition": condition,
        "null.handling.mode": nulls,
    },
    st.sampled_from(
        [
            "value.op != 'd'",
            "value.after == null",
            "topic.startsWith('to-')",
            "value.source.row > 3",
        ]
    ),
    st.sampled_from(["keep", "drop", "evaluate"]),
)
TRANSFORMS = st.one_of(
    _CONDITIONS,
    _UNWRAP,
    _UNWRAP,
    _ROUTE,
    _READ,
    _of("RegexRouter", regex="srv\\.(.*)", replacement="to-$1"),
    _part("MaskField", fields=_joined(_LISTS)),
    _part("MaskField", fields=_joined(_LISTS), replacement=st.sampled_from(["7", "***"])),
    _part("ReplaceField", exclude=_joined(_LISTS), renames=_RENAMES),
    _part("ReplaceField", include=_joined(_LISTS)),
    _part("InsertField", static_field="made", static_value="x", topic_field="t!"),
    _part("InsertField", partition_field=st.sampled_from(["p", "p!"])),
    _part("Cast", spec=_CASTS | st.sampled_from(_TYPES)),
    _part("SetSchemaMetadata", schema_name="other", schema_version="7"),
    _part("ExtractField", field=_NAMES),
    _part("ExtractField", field="source.row", field_syntax_version="V2"),
    _part("TimestampConverter", field=_NAMES, target_type="unix"),
    _of("HoistField$Value", field="made"),
    _of("HoistField$Key", field="made"),
    _of("Flatten$Value", delimiter="_"),
    _of("ValueToKey", fields=_joined(_LISTS), replace_null_with_default="false"),
    _of("InsertHeader", header="made", value_literal="5"),
    _of("DropHeaders", headers="made,__op,h.id,millrace.position"),
    _of("Filter"),
    _HEADER,
)
_PREDICATES = st.one_of(
    st.none(),
    st.none(),
    _of("predicates.TopicNameMatches", pattern="to-.*"),
    _of("predicates.HasHeaderKey", name=st.sampled_from(["made", "__op"])),
    _of("predicates.RecordIsTombstone"),
)


def build(chain: list[tuple[Config, Config | None, bool]]) -> list[TransformStep]:
    """Return the steps; both sides of a comparison have their own."""
    plugins = PluginTable()

    def build_one(config: Config, kind: Any) -> Any:
        settings = dict(config)
        return plugins.component(settings.pop("type"), kind)(settings)

    return [
        TransformStep(
            str(number),
            build_one(transform, "transformation"),
            build_one(predicate, "predicate") if predicate else None,
            negate,
        )
        for number, (transform, predicate, negate) in enumerate(chain)
    ]


CHAINS = st.lists(st.tuples(TRANSFORMS, _PREDICATES, st.booleans()), min_size=1, max_size=5)
