"""The schemas of messages by format, discovered from samples."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial

from sparksink.change_position import ChangePosition
from sparksink.config.columns import Columns
from sparksink.config.ordering import Ordering
from sparksink.config.source import Source
from sparksink.decode.format_names import (
    NEW_SCHEMA,
    PLAIN,
    VERSION_SEPARATOR,
    accepted_sql,
    has_columns,
)
from sparksink.decode.message_schema import (
    MessageSchema,
    PlainFields,
    WireForm,
    parse_avro_schema,
    parse_json_schema,
    wire_form_of,
)
from sparksink.errors import TableError
from sparksink.schemas.row_schema import (
    RowSchema,
    from_avro,
    key_names,
    plain_avro,
    with_source_types,
)
from sparksink.schemas.schema_changes import is_known
from sparksink.schemas.versions import SchemaVersions
from sparksink.source.routed_tables import LOGICAL_KEY


class MessageSchemas:
    """The schemas that are known so far.

    ``versions`` returns the versions of a table from the schema-change topic or the configuration,
    or None; ``registry`` returns a schema by its id, ``table`` the table of a topic, ``rules`` the
    settings of a table's columns. Only messages in the format of ``source`` are accepted.
    """

    def __init__(
        self,
        versions: Callable[[str], SchemaVersions | None],
        registry: Callable[[int], str],
        source: Source | None = None,
        ordering: Ordering | None = None,
        table: Callable[[str], str] = str,
        rules: Callable[[str], Columns] = lambda _: Columns(),
        error: Callable[[str], TableError | None] = lambda _: None,
    ) -> None:
        self._versions = versions
        self._registry = registry
        self.table = table
        self.rules = rules
        self.definition_error = error
        """Returns why a table must not be read with its definition, None if it may."""
        self.ordering = ordering or Ordering()
        self.accepted = "" if source is None else accepted_sql(source)
        kept = source and source.schema_registry and source.schema_registry.cache_ttl
        self._seconds = kept or math.inf
        self._learned: dict[tuple[str, str], float] = {}
        self._known: dict[tuple[str, str], MessageSchema] = {}
        self._forms: dict[str, WireForm] = {}
        self._kinds: dict[tuple[str, str], tuple[str, ...]] = {}
        self._keys: dict[str, list[tuple[str, ...]]] = {}
        self._avro_keys: dict[str, dict[bytes, str]] = {}

    def prefixes(self) -> dict[str, list[tuple[str, bytes]]]:
        """Return the schemas that can precede JSON: topic → marks and bytes."""
        found: dict[str, list[tuple[str, bytes]]] = {}
        for (topic, mark), layout in self._known.items():
            if layout.prefix:
                found.setdefault(topic, []).append((mark, layout.prefix))
        return found

    @property
    def several(self) -> bool:
        """Whether more than one topic was seen."""
        return len({*self._forms, *(topic for topic, _ in self._known)}) > 1

    def has_schema(self, topic: str, mark: str) -> bool:
        """Return whether messages of this mark can be read without another sample."""
        mark = mark.partition(VERSION_SEPARATOR)[0]
        if mark == PLAIN:
            return topic in self._forms
        if time.monotonic() - self._learned.get((topic, mark), math.inf) > self._seconds:
            return False
        return not has_columns(mark) or (topic, mark) in self._known

    def list_versions(self) -> list[tuple[str, MessageSchema, tuple[ChangePosition, ...]]]:
        """Return topic, schema and version starts of marks whose versions are read differently.

        For messages without a schema that is so if the columns have changed, for others only if
        a name means another column than before, or if they have a column that the newest version
        lacks: a former one, or a later one of its name whose statement is not known yet.
        """
        marks = [(topic, PLAIN) for topic in self._forms]
        found = []
        for topic, mark in [*marks, *self._known]:
            versions = self._versions(self.table(topic))
            known = self._known.get((topic, mark))
            if versions and len(versions.starts) > 1 and self._is_versioned(versions, known):
                layout = known or MessageSchema(PLAIN, self._forms[topic], RowSchema(()))
                found.append((topic, layout, versions.starts))
        return found

    def _is_versioned(self, versions: SchemaVersions, known: MessageSchema | None) -> bool:
        """Return whether the versions of messages with a schema, or without one, are distinct."""
        differ = known is None or versions.names_differ
        if known is None or differ or self.ordering.mode != "binlog":
            return differ
        return not versions.lineage.former_names.isdisjoint(map(str.lower, known.shape.names))

    def plain_fields(self) -> list[PlainFields]:
        """Return the fields of messages without a schema whose tables are defined."""
        found = []
        for topic, form in self._forms.items():
            versions, rules = self._versions(self.table(topic)), self.rules(self.table(topic))
            for number, one in enumerate(versions.versions if versions else ()):
                several = versions is not None and len(versions.starts) > 1
                mark = f"{PLAIN}{VERSION_SEPARATOR}{number}" if several else PLAIN
                known = frozenset({*one.names, *rules.exclude})
                others = None if rules.include is None else frozenset(rules.include) - known
                found.append(PlainFields(topic, mark, form, known, others))
        return found

    def columns(self, topic: str, mark: str) -> tuple[str, ...]:
        """Return the source's columns in the schema of a mark; empty without a schema."""
        known = self._known.get((topic, mark.partition(VERSION_SEPARATOR)[0]))
        names, row = (known.shape.names, known.form == "row") if known else ((), False)
        return tuple(name for name in names if not (row and name.startswith("__")))

    def defined_columns(self, topic: str, mark: str) -> frozenset[str] | None:
        """Return the columns that the definition of messages has, in lower case.

        Those of all definitions if the mark has no version; None if the table has no definition.
        """
        versions = self._versions(self.table(topic))
        if versions is None:
            return None
        _, at, number = mark.partition(VERSION_SEPARATOR)
        if at and self.ordering.mode == "binlog":
            return frozenset(map(str.lower, versions.versions[versions.at(int(number))].names))
        return versions.lineage.newest_names | versions.lineage.former_names

    def needs_version(self, topic: str, mark: str) -> bool:
        """Return whether messages of a new mark are read with a definition of their table."""
        if mark == PLAIN:
            return self._versions(self.table(topic)) is not None
        return any(one == topic and layout.mark == mark for one, layout, _ in self.list_versions())

    def add_schema(self, topic: str, mark: str, sample: bytes = b"") -> None:
        """Add the schema of a mark, for JSON from a sample message.

        :raises TableError: the schema is unreadable or unavailable.
        """
        if mark == NEW_SCHEMA:
            number = sum(known == topic for known, _ in self._known)
            layout = parse_json_schema(f"json:{number}", sample)
            self._known[topic, layout.mark] = layout
        else:
            schema = self._registry(int(mark.partition(":")[2]))
            self._known[topic, mark] = parse_avro_schema(mark, schema)
            self._learned[topic, mark] = time.monotonic()

    def detect_form(self, topic: str, samples: Iterable[bytes]) -> bool:
        """Detect the form of most messages without a schema; return whether any is readable."""
        forms = Counter(form for form in map(wire_form_of, samples) if form)
        if forms:
            self._forms[topic] = forms.most_common(1)[0][0]
        return bool(forms)

    def has_key(self, topic: str, kind: str) -> bool:
        """Return whether keys of this kind can be read without another sample."""
        return (topic, kind) in self._kinds

    def add_key(self, topic: str, kind: str, key: bytes | None = None) -> None:
        """Use the columns of a kind of key for the topic; ``key`` is a sample if it is new."""
        if key is not None:
            try:
                self._kinds[topic, kind] = self._names(topic, key)
            except TableError:  # a corrupt key
                return
        known = self._keys.setdefault(topic, [])
        names = self._kinds[topic, kind]
        self._keys[topic] = [*(one for one in known if one != names), names]

    def has_keys(self, topic: str) -> bool:
        """Return whether messages of a topic had keys."""
        return any(self._keys.get(topic, ()))

    def _names(self, topic: str, key: bytes) -> tuple[str, ...]:
        if key[:1] != b"\0":
            names = key_names(key)
        else:
            schema = json.loads(self._registry(int.from_bytes(key[1:5], "big")))
            names = tuple(column.name for column in from_avro(schema).fields)
            self._avro_keys.setdefault(topic, {})[key[:5]] = json.dumps(plain_avro(schema))
        return tuple(name for name in names if name != LOGICAL_KEY)

    def keys(
        self, topic: str, table: str, columns: Collection[str] | None = None
    ) -> tuple[str, ...]:
        """Return the columns of the last key, from messages or definitions; empty without a key.

        :param columns: the existing columns; corrupt keys name others.
        """
        versions = self._versions(table)
        for seen in reversed(self._keys.get(topic, [])):
            names = tuple(versions.trace(None, n)[0] for n in seen) if versions else seen
            if names and (columns is None or set(names) <= set(columns)):
                return names
        return versions.newest.keys if versions else ()

    def avro_keys(self, topic: str) -> Mapping[bytes, str]:
        """Return the schemas of a topic's Avro keys, by the first bytes of such keys."""
        return self._avro_keys.get(topic, {})

    def versions(self, table: str) -> SchemaVersions | None:
        """Return the versions of a table that are known independently of its messages."""
        return self._versions(table)

    def trace(self, table: str, mark: str, *, keeps: bool) -> Callable[[str], tuple[str, bool]]:
        """Return a function from a column of a mark's messages to its last name and existence.

        If a target ``keeps`` dropped columns, one whose name is free counts as existing.
        """
        versions = self._versions(table)
        if versions is None:
            return lambda name: (name, True)
        version = _version_number(versions, mark)

        def last(name: str) -> tuple[str, bool]:
            to, exists = versions.trace(version, name)
            return to, exists or (keeps and to not in versions.newest.shape.names)

        return last

    def source_names(self, table: str, mark: str) -> Callable[[str], Collection[str]]:
        """Return a function from a column of a mark's messages to all names that it has had."""
        versions = self._versions(table)
        if versions is None:
            return lambda name: (name,)
        return partial(versions.names_of, _version_number(versions, mark))

    def layout(self, topic: str, table: str, mark: str) -> MessageSchema:
        """Return how to read messages of a mark.

        :raises TableError: the columns of messages without a schema are unknown.
        """
        base, at, number = mark.partition(VERSION_SEPARATOR)
        versions = self._versions(table)
        if base != PLAIN:
            known = replace(self._known[topic, base], mark=mark)
            if versions is None:
                return known
            defined = versions.versions[versions.at(int(number) if at else None)].definition.shape
            return replace(known, shape=with_source_types(known.shape, defined))
        if versions is None:
            raise TableError(
                f"{table}: its messages carry no schema, and its columns are unknown.",
                "Set source.ddl.topic to the connector's schema-change topic, or columns.types.",
            )
        shape = versions.versions[versions.at(int(number) if at else None)].definition.shape
        for column in shape.columns:
            if not is_known(column):
                raise TableError(f"{table}: {column.semantic}", "Set columns.types.")
        return MessageSchema(mark, self._forms[topic], shape)

    def avro(self, marks: Iterable[tuple[str, str]]) -> Mapping[str, str]:
        """Return the writers' schemas of the Avro marks, by mark."""
        found = {
            mark: self._known.get((topic, mark.partition(VERSION_SEPARATOR)[0]))
            for topic, mark in marks
        }
        return {mark: one.avro for mark, one in found.items() if one is not None and one.avro}


def _version_number(versions: SchemaVersions, mark: str) -> int | None:
    """Return the number of a mark's version; None if all versions are read alike."""
    base, at, number = mark.partition(VERSION_SEPARATOR)
    return versions.at(int(number) if at else None) if at or base == PLAIN else None
