"""Chains of transforms, from the files in ``chains/``.

Each begins with its name in brackets; then come directives and the transforms in order::

    tables: types pairs        the tables of chains/tables.sql it captures (default: these)
    config: key=value          a setting of the connector (repeatable)
    fails                      both sides set the task to FAILED with the same message
    refused                    Debezium's task fails; here validation refuses the settings
    other_message              with `fails`: the message here is clearer
    timestamps                 the timestamps of the messages are compared, too
      MaskField$Value unless tombstone fields=name replacement='x y'

A class without package is Kafka Connect's, ``debezium.`` stands for ``io.debezium.transforms.``;
``when`` and ``unless`` name a predicate. ``{prefix}`` is the topic prefix of the connector.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "chains"
_KAFKA = "org.apache.kafka.connect.transforms."
PREDICATES = {
    "tombstone": {"type": f"{_KAFKA}predicates.RecordIsTombstone"},
    "rows": {"type": f"{_KAFKA}predicates.TopicNameMatches", "pattern": "[^.]+\\.chains\\..*"},
    "moved": {"type": f"{_KAFKA}predicates.HasHeaderKey", "name": "__debezium.newkey"},
    "pairs": {"type": f"{_KAFKA}predicates.TopicNameMatches", "pattern": ".*\\.pairs"},
}


@dataclass(frozen=True)
class Step:
    """One transform."""

    class_name: str
    options: dict[str, str]
    predicate: str = ""
    negate: bool = False


@dataclass
class Chain:
    name: str
    tables: list[str] = field(default_factory=lambda: ["types", "pairs"])
    config: dict[str, str] = field(default_factory=dict)
    fails: bool = False
    refused: bool = False
    other_message: bool = False
    timestamps: bool = False
    steps: list[Step] = field(default_factory=list)

    def settings(self, prefix: str) -> dict[str, str]:
        """Return the settings of a connector with this topic prefix."""
        found = {
            "table.include.list": ",".join(f"chains.{table}" for table in self.tables),
            "include.schema.changes": "false",
            "transforms": ",".join(f"s{number}" for number in range(len(self.steps))),
        }
        for number, step in enumerate(self.steps):
            below = f"transforms.s{number}."
            found[below + "type"] = step.class_name
            for key, text in step.options.items():
                found[below + key] = text.replace("{prefix}", prefix)
            if step.predicate:
                found[below + "predicate"] = step.predicate
                found[below + "negate"] = str(step.negate).lower()
        used = sorted({step.predicate for step in self.steps} - {""})
        for name in used:
            for key, text in PREDICATES[name].items():
                found[f"predicates.{name}.{key}"] = text
        if used:
            found["predicates"] = ",".join(used)
        return found | self.config


def load() -> Iterator[Chain]:
    for path in sorted(FOLDER.glob("*.chains")):
        yield from _read(path.read_text("utf-8"))


def _read(text: str) -> Iterator[Chain]:
    chain: Chain | None = None
    for line in text.splitlines():
        if line.startswith("["):
            if chain is not None:
                yield chain
            chain = Chain(line.strip("[]"))
        elif line.strip() and not line.startswith("#"):
            assert chain is not None
            _take(chain, line)
    if chain is not None:
        yield chain


def _take(chain: Chain, line: str) -> None:
    if line.startswith(" "):
        chain.steps.append(_step(line))
    elif line in ("fails", "refused", "other_message", "timestamps"):
        setattr(chain, line, True)
    else:
        directive, _, rest = line.partition(": ")
        if directive == "tables":
            chain.tables = rest.split()
        else:
            assert directive == "config", line
            key, _, value = rest.partition("=")
            chain.config[key] = value


def _step(line: str) -> Step:
    name, *words = shlex.split(line)
    if name.startswith("debezium."):
        name = "io.debezium.transforms" + name.removeprefix("debezium")
    elif not name.startswith("io."):
        name = _KAFKA + name
    predicate, negate = "", False
    if words and words[0] in ("when", "unless"):
        negate, predicate = words[0] == "unless", words[1]
        words = words[2:]
    options = dict(word.split("=", 1) for word in words)
    return Step(name, options, predicate, negate)
