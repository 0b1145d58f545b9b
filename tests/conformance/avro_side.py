"""A run of scenarios in Avro, too: Debezium's connector writes each record in both formats.

The oracle's converter puts what Apicurio's AvroConverter makes of a key or value into headers of
the message in JSON. One more connector of ours writes Avro; both are decoded and compared like
messages in JSON, whose schema is that of the registry. Names of columns are adjusted only where
Debezium sees a converter for Avro: tables whose names Java refuses are not compared.
"""

from __future__ import annotations

import json
from typing import Any

from tests.conformance.avro_schemas import Schemas
from tests.conformance.normal import normal
from tests.conformance.sides import Run, Side
from tests.fixtures.topics import Message
from tools.stack import SchemaRegistry

_AVRO = "io.apicurio.registry.utils.converter.AvroConverter"
_BOTH = "millrace.oracle.JsonAndAvroConverter"
_HEADER = "oracle.avro."
_REFUSED = ".refused"
_ID_END = 9  # a zero byte and eight of the id


class RunInAvro(Run):
    """A run with one more side of ours, ``avro``; ``java`` is what Debezium writes in Avro.

    ``refusals`` are the errors of Java by topic.
    """

    def __init__(self, registry: SchemaRegistry, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._schemas = Schemas(registry)
        settings = {
            "apicurio.registry.url": registry.apicurio_url,
            "apicurio.registry.auto-register": "true",
            "apicurio.registry.headers.enabled": "false",
        }
        self.avro = Side("avro", self.compiled.client, f"sidee{self._run}")
        self.java = Side("debezium in Avro", self.oracle.client, self.oracle.prefix)
        self.refusals: dict[str, set[str]] = {}
        for converter in ("key.converter", "value.converter"):
            self.oracle.extra[converter] = _BOTH
            self.avro.extra[converter] = _AVRO
            for name, text in settings.items():
                self.oracle.extra[f"{converter}.avro.{name}"] = text
                self.avro.extra[f"{converter}.{name}"] = text
        self.ours.append(self.avro)

    def _read(self, side: Side) -> None:
        found = self._messages(side.prefix)
        rows = {name: found[name] for name in found if not name.startswith("history.")}
        if side is self.avro:
            side.topics = self._decoded(rows, side.prefix)
            return
        side.topics = {
            name: [normal(_without_avro(message), side.prefix) for message in messages]
            for name, messages in found.items()
        }
        if side is self.oracle:
            self.refusals = {name: set(map(_refusal, rows[name])) - {""} for name in rows}
            in_avro = {name: list(filter(None, map(_in_avro, rows[name]))) for name in rows}
            self.java.topics = self._decoded(in_avro, side.prefix)

    def _decoded(
        self, topics: dict[str, list[Message]], prefix: str
    ) -> dict[str, list[tuple[Any, ...]]]:
        return {
            name: [
                normal(one._replace(key=self._text(one.key), value=self._text(one.value)), prefix)
                for one in messages
            ]
            for name, messages in topics.items()
        }

    def _text(self, raw: bytes | None) -> bytes | None:
        if raw is None:
            return None
        assert raw[0] == 0
        identifier = int.from_bytes(raw[1:_ID_END], "big")
        path = f"/apis/registry/v2/ids/globalIds/{identifier}"
        schema, value = self._schemas.decoded(raw[_ID_END:], path)
        payload = json.dumps(value, separators=(",", ":"), default=repr)
        return f'{{"schema":{schema},"payload":{payload}}}'.encode()


def _without_avro(message: Message) -> Message:
    kept = tuple(header for header in message.headers if not header[0].startswith(_HEADER))
    return message._replace(headers=kept)


def _refusal(message: Message) -> str:
    """Return why Java refuses to write a message; nothing if it does not."""
    found = [
        text or b""
        for name, text in message.headers
        if name.startswith(_HEADER) and name.endswith(_REFUSED)
    ]
    return b"; ".join(found).decode()


def _in_avro(message: Message) -> Message | None:
    """Return the message in Avro; None if Java refuses to write it."""
    if _refusal(message):
        return None
    found = dict(message.headers)
    key, value = found[f"{_HEADER}key"], found[f"{_HEADER}value"]
    return _without_avro(message)._replace(key=key, value=value)
