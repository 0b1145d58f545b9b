"""The options of the connector that decide how column types are represented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from connector import names

FailureMode = Literal["fail", "warn", "skip"]
Flavor = Literal["mysql", "mariadb"]
TimePrecision = Literal[
    "adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"
]
DecimalMode = Literal["precise", "double", "string"]
BinaryMode = Literal["bytes", "base64", "base64-url-safe", "hex"]


@dataclass(frozen=True, slots=True)
class TypeOptions:
    """How column types are represented; ``exact`` where Debezium loses or changes something."""

    time_precision: TimePrecision = "adaptive_time_microseconds"
    decimal: DecimalMode = "precise"
    unsigned_bigint: Literal["long", "precise"] = "long"
    binary: BinaryMode = "bytes"
    adjust_years: bool = True
    exact: bool = False
    placeholder: bytes = names.UNAVAILABLE_VALUE.encode()
    on_failure: FailureMode = "warn"
    flavor: Flavor = "mysql"
