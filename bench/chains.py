"""Chains of transforms that are measured. Topics keep their names: the benchmark reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_KAFKA: Final = "org.apache.kafka.connect.transforms."
_UNWRAP: Final = {
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms.route.type": f"{_KAFKA}RegexRouter",
    "transforms.route.regex": "(.*)",
    "transforms.route.replacement": "$1",
}
CHAINS: Final[Mapping[str, Mapping[str, str]]] = {
    "": {},
    "unwrap": {"transforms": "unwrap,route", **_UNWRAP},
    "five": {
        "transforms": "unwrap,route,mask,rename,mark",
        **_UNWRAP,
        "transforms.unwrap.add.fields": "op,table,source.ts_ms",
        "transforms.mask.type": f"{_KAFKA}MaskField$Value",
        "transforms.mask.fields": "pad",
        "transforms.mask.replacement": "***",
        "transforms.rename.type": f"{_KAFKA}ReplaceField$Value",
        "transforms.rename.renames": "k:kind",
        "transforms.mark.type": f"{_KAFKA}InsertHeader",
        "transforms.mark.header": "origin",
        "transforms.mark.value.literal": "bench",
    },
}
