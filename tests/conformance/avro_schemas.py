"""Decodes Avro with the schemas of a registry."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro

from tools.stack import SchemaRegistry
from tools.stack.http import http


class Schemas:
    """The schemas of a registry, by the ids in messages."""

    def __init__(self, registry: SchemaRegistry) -> None:
        self._registry = registry
        self._texts: dict[str, str] = {}
        self._parsed: dict[str, Any] = {}

    def decoded(self, raw: bytes, path: str, references: str | None = None) -> tuple[str, Any]:
        """Return the schema as registered, and the value: these bytes and no others."""
        text = self.text(path)
        whole = self.text(references) if references else text
        if whole not in self._parsed:
            self._parsed[whole] = fastavro.parse_schema(_plain(json.loads(whole)))
        schema = self._parsed[whole]
        value = fastavro.schemaless_reader(io.BytesIO(raw), schema)
        written = io.BytesIO()
        fastavro.schemaless_writer(written, schema, value)
        assert written.getvalue() == raw
        return text, value

    def text(self, path: str) -> str:
        """Return what the registry has there."""
        if path not in self._texts:
            answer = http.get(f"http://{self._registry.address}{path}")
            assert answer.is_success, answer.text
            self._texts[path] = answer.text
        return self._texts[path]

    def add(self, path: str, text: str) -> None:
        """Keep a schema that is a part of an answer."""
        self._texts[path] = text


def _plain(avro: Any) -> Any:
    """Return a schema without logical types: values stay what the bytes say."""
    if isinstance(avro, list):
        return [_plain(part) for part in avro]
    if isinstance(avro, dict):
        return {
            name: part if name == "default" else _plain(part)
            for name, part in avro.items()
            if name != "logicalType"
        }
    return avro
