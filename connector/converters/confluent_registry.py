"""Finds and registers schemas in a registry with Confluent's API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal
from urllib.parse import quote

import orjson

from connector.converters.confluent_keys import connection
from connector.converters.registry import RegistryClient, RegistryRefusedError
from connector.errors import ConversionError

ListReferences = Callable[[], Sequence[Mapping[str, Any]]]
_HEADERS: Final = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
_INCOMPATIBLE: Final = 409
_NOT_FOUND: Final = 404
_WRITERS_PHASES: Final = ("domainRules", "encodingRules")
_WRITERS_MODES: Final = ("WRITE", "WRITEREAD")
_CHECK_URL: Final = "Check that schema.registry.url is the address of a schema registry."
_REMEDY: Final = (
    "Change the compatibility level of the subject, or the subject name strategy, then restart "
    "the task."
)


class ConfluentRegistry:
    """The ids of schemas; ``same`` says whether a registered schema gives the same bytes.

    It takes the registered schema, the own one, and those that the registered one refers to.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        same: Callable[[str, str, Mapping[str, str]], bool],
        *,
        kind: Literal["AVRO", "JSON", "PROTOBUF"],
    ) -> None:
        self._options = options
        self._same = same
        # Registries know Avro by no type; those of before 2020 know no types at all.
        self._kind = {} if kind == "AVRO" else {"schemaType": kind}
        self._client = RegistryClient(connection(options))

    def start(self, subject: str, text: str) -> bytes:
        """Return what stands before values of a schema: a zero byte and the schema's id.

        :raises ConversionError: the schema is not registered, incompatible, or has other fields.
        """
        return self.find(subject, text)[0]

    def find(
        self, subject: str, text: str, references: ListReferences = tuple
    ) -> tuple[bytes, str]:
        """Return the zero byte and the id, and the schema that is registered with it.

        ``references`` are computed when the registry gets the schema.

        :raises ConversionError: the schema is not registered, incompatible, or has other fields.
        """
        options, identifier = self._options, self._options["use.schema.id"]
        if not options["auto.register.schemas"] and identifier >= 0:
            found = self._by_id(identifier, subject, text)
            return _start(identifier), _text(found)
        if not options["auto.register.schemas"] and options["use.latest.version"]:
            found = self._latest(subject, text)
            return _start(_number(found, "id", subject)), _text(found)
        path = "/versions" if options["auto.register.schemas"] else ""
        found = self._post(subject, path, text, references())
        _refuse_rules(subject, found)
        return _start(_number(found, "id", subject)), text

    def version(self, subject: str, text: str, *, lookup: bool) -> int:
        """Return the version of a schema that others refer to; ``lookup`` registers nothing.

        :raises ConversionError: the schema is not registered, incompatible, or has other fields.
        """
        if self._options["use.latest.version"] and not self._options["auto.register.schemas"]:
            if not lookup:
                return _number(self._latest(subject, text), "version", subject)
        elif self._options["auto.register.schemas"] and not lookup:
            self._post(subject, "/versions", text)
        return _number(self._post(subject, "", text), "version", subject)

    def _by_id(self, identifier: int, subject: str, text: str) -> Any:
        """Return a schema; the subject says in which context of the registry it is."""
        found = self._get(f"/schemas/ids/{identifier}?subject={quote(subject, safe='')}")
        self._check(f"with id {identifier}", found, text)
        _refuse_rules(subject, found)
        return found

    def _latest(self, subject: str, text: str) -> Any:
        found = self._get(f"/subjects/{quote(subject, safe='')}/versions/latest")
        self._check(f"that is the latest of subject {subject}", found, text)
        _refuse_rules(subject, found)
        return found

    def _post(
        self, subject: str, path: str, text: str, references: Sequence[Mapping[str, Any]] = ()
    ) -> Any:
        """Register or find a schema."""
        normalize = str(self._options["normalize.schemas"]).lower()
        path = f"/subjects/{quote(subject, safe='')}{path}?normalize={normalize}"
        content: dict[str, Any] = {**self._kind, "schema": text}
        if references:
            content["references"] = references
        body = orjson.dumps(content)
        try:
            return self._client.request("POST", path, content=body, headers=_HEADERS)
        except RegistryRefusedError as error:
            raise _refusal(subject, error) from None

    def _get(self, path: str) -> Any:
        try:
            return self._client.request("GET", path, headers=_HEADERS)
        except RegistryRefusedError as error:
            raise ConversionError(f"The schema registry has no answer to {path}: {error}") from None

    def _referenced(self, found: Mapping[str, Any]) -> dict[str, str]:
        """Return the schemas that a registered one refers to, by their names; inner ones first."""
        schemas: dict[str, str] = {}
        for reference in found.get("references") or ():
            subject = quote(reference["subject"], safe="")
            inner = self._get(f"/subjects/{subject}/versions/{reference['version']}")
            schemas |= self._referenced(inner)
            schemas[reference["name"]] = _text(inner)
        return schemas

    def _check(self, which: str, registered: Any, text: str) -> None:
        theirs = _text(registered)
        try:
            same = self._same(theirs, text, self._referenced(registered))
        except (AttributeError, KeyError, TypeError, ValueError):  # of another kind, or broken
            same = False
        if not same:
            raise ConversionError(
                f"The schema {which} does not have the fields of the table.",
                "Register a schema with the present columns, or set auto.register.schemas=true.",
            )


def _start(identifier: int) -> bytes:
    return b"\x00" + identifier.to_bytes(4, "big")


def _text(found: Any) -> str:
    """Return the schema in an answer."""
    text = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(text, str):
        raise ConversionError("The schema registry answers without a schema.", _CHECK_URL)
    return text


def _number(found: Any, name: str, subject: str) -> int:
    """Return the id or version in an answer: a number of up to 31 bits."""
    number = found.get(name) if isinstance(found, dict) else None
    if type(number) is not int or not 0 <= number < 1 << 31:
        article = "an" if name == "id" else "a"
        raise ConversionError(
            f"The schema registry answers without {article} {name} for subject {subject}.",
            _CHECK_URL,
        )
    return number


def _refuse_rules(subject: str, found: Any) -> None:
    """Refuse a schema with rules that a writer has to run: they may encrypt or check values."""
    rule_set = (isinstance(found, dict) and found.get("ruleSet")) or {}
    try:
        rules = [rule for phase in _WRITERS_PHASES for rule in rule_set.get(phase) or ()]
        names = [
            str(rule.get("name"))
            for rule in rules
            if rule.get("mode", "WRITEREAD") in _WRITERS_MODES and not rule.get("disabled")
        ]
    except (AttributeError, TypeError):
        raise ConversionError(
            f"The schema of subject {subject} has rules that are not understood.", _CHECK_URL
        ) from None
    if names:
        raise ConversionError(
            f"The schema of subject {subject} has rules for writers, which are not supported: "
            f"{', '.join(names)}.",
            "Remove them from the schema, or register the schema under another subject.",
        )


def _refusal(subject: str, error: RegistryRefusedError) -> ConversionError:
    if error.status == _INCOMPATIBLE:
        return ConversionError(
            f"The schema of subject {subject} is incompatible with an earlier version: {error}.",
            _REMEDY,
        )
    if error.status == _NOT_FOUND:
        return ConversionError(
            f"The schema of subject {subject} is not registered: {error}.",
            "Register it, or set auto.register.schemas=true.",
        )
    return ConversionError(f"The registry refuses the schema of subject {subject}: {error}.")
