"""A key that the reference calls working is read by code, not only declared and validated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from connector.config import ConfigKey
from connector.connectors import mysql_connector
from connector.plugin_table import ROWS, PluginTable
from connector.worker.connector_config import source_config
from connector.worker.worker_keys import WORKER
from tools.reference import MYSQL, here

ROOT = Path(__file__).parents[3]
CODE = ("connector", "restapi")
DECLARED = {"ConfigKey", "_common", "_errors", "_key", "boolean"}
TLS = (
    *(
        f"ssl.{store}.{key}"
        for store in ("truststore", "keystore")
        for key in ("location", "password")
    ),
    "ssl.key.password",
)
# Keys that code does not find by their whole name: the file that reads them, and how.
OTHERWISE = {
    **dict.fromkeys(
        ["column.mask.hash.([^.]+).with.salt.(.+)", "column.mask.with.(d+).chars"],
        ("connector/debezium/column_rules.py", r"column\.mask\."),
    ),
    "column.truncate.to.(d+).chars": (
        "connector/debezium/column_rules.py",
        r"column\.truncate\.",
    ),
    **dict.fromkeys(
        ["column.propagate.source.type", "datatype.propagate.source.type"],
        ("connector/debezium/column_rules.py", r"\.propagate\.source\.type"),
    ),
    **dict.fromkeys(
        ["topic.regex", "topic.key.field.regex"],
        ("connector/debezium/topics.py", 'f"{name}.regex"'),
    ),
    **dict.fromkeys(
        [
            *(f"schema.registry.{key}" for key in TLS),
            "schema.registry.ssl.endpoint.identification.algorithm",
        ],
        (
            "connector/converters/confluent_keys.py",
            "tls_context(settings_below(options, _PREFIX))",
        ),
    ),
    **dict.fromkeys(
        [f"apicurio.registry.request.{key}" for key in TLS],
        (
            "connector/converters/apicurio_keys.py",
            'settings_below(options, f"{_REGISTRY}request.")',
        ),
    ),
    "topic.creation.groups": ("connector/worker/topic_creation.py", 'PREFIX + "groups"'),
    **dict.fromkeys(
        [
            f"{plugin}.plugin.version"
            for plugin in ("connector", "key.converter", "value.converter", "header.converter")
        ],
        (
            "connector/worker/connector_config.py",
            "validator=meets_version(plugin if is_own else None)",
        ),
    ),
}


class Uses(ast.NodeVisitor):
    """Collects the texts of a file that are not the name in a declaration or of a validator."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self.patterns: set[re.Pattern[str]] = set()

    def visit_Call(self, node: ast.Call) -> None:
        declares = isinstance(node.func, ast.Name) and node.func.id in DECLARED
        for child in [node.func, *node.args[declares:], *node.keywords]:
            self.visit(child)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not (isinstance(node.target, ast.Name) and node.target.id == "_VALIDATORS"):
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.texts.add(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = [
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"[\w.]+"
            for part in node.values
        ]
        if sum(map(str.isalpha, "".join(parts))) > len("[w.]") + 6:
            self.patterns.add(re.compile("".join(parts)))


@cache
def uses() -> Uses:
    found = Uses()
    for folder in CODE:
        for path in (ROOT / folder).rglob("*.py"):
            found.visit(ast.parse(path.read_text("utf-8")))
    return found


def is_read(name: str) -> bool:
    if name in OTHERWISE:
        file, how = OTHERWISE[name]
        return how in (ROOT / file).read_text("utf-8")
    found = uses()
    return name in found.texts or any(pattern.fullmatch(name) for pattern in found.patterns)


def keys() -> Iterator[ConfigKey]:
    yield from mysql_connector().config_def
    yield from source_config({"connector.class": MYSQL}, WORKER.parse({}), PluginTable())
    yield from WORKER
    for row in ROWS:
        if row.kind != "source":
            yield from PluginTable().component(row.class_name, row.kind).config_def


@pytest.mark.parametrize(
    "key", [key for key in keys() if here(key) == "works"], ids=lambda key: key.name
)
def test_a_key_that_works_is_read(key: ConfigKey) -> None:
    assert is_read(key.name), (
        f"{key.name} is read nowhere: let it work, refuse it, or say 'Kept for compatibility: …'"
    )


def test_the_search_knows_declared_from_read() -> None:
    assert not is_read("max.queue.size")
    assert is_read("snapshot.mode")
    assert is_read("schema.history.internal.skip.unparseable.ddl")
