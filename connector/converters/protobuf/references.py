"""Files of their own in a registry that schemas refer to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from connector.config import invalid
from connector.converters.confluent_registry import ConfluentRegistry
from connector.converters.protobuf.files import ProtoFile
from connector.converters.protobuf.known_files import FILES

_PACKAGE: Final = "io.confluent.kafka.serializers.subject."
BY_NAME: Final = _PACKAGE + "DefaultReferenceSubjectNameStrategy"
QUALIFIED: Final = _PACKAGE + "QualifiedReferenceSubjectNameStrategy"


def known_strategy(name: str, value: str) -> str | None:
    """Accept Confluent's strategies for the subjects of references."""
    if value in (BY_NAME, QUALIFIED):
        return None
    return str(invalid(name, value, f"not supported: it can be {BY_NAME} or {QUALIFIED}"))


class References:
    """Registers what a file imports, unless registries know it by themselves."""

    def __init__(self, registry: ConfluentRegistry, options: Mapping[str, Any]) -> None:
        self._registry = registry
        self._skips = options["skip.known.types"]
        self._lookup = options["reference.lookup.only"]
        self._qualified = options["reference.subject.name.strategy"] == QUALIFIED

    def of(self, file: ProtoFile) -> list[dict[str, Any]]:
        """Return the references of a file."""
        return [] if self._skips else [self._reference(name) for name in file.imports]

    def _reference(self, name: str) -> dict[str, Any]:
        subject = name.replace(".proto", "").replace("/", ".") if self._qualified else name
        version = self._registry.version(subject, FILES[name], lookup=self._lookup)
        return {"name": name, "subject": subject, "version": version}
