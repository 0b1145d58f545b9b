"""Protobuf files: what they consist of, and their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProtoField:
    """A field; ``parameters`` are the key-value pairs of Confluent's option for fields."""

    number: int
    name: str
    type: str
    label: str = ""
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ProtoMessage:
    """A message with those that stand in it."""

    name: str
    fields: tuple[ProtoField, ...] = ()
    nested: tuple[ProtoMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class ProtoFile:
    """A file; ``text`` is what a registry gets, ``name`` the full name of the value's message."""

    name: str
    text: str
    imports: tuple[str, ...] = ()


def file_text(package: str, imports: tuple[str, ...], message: ProtoMessage) -> str:
    """Return the text of a file with one message, as Confluent's Java class formats it."""
    lines = ['syntax = "proto3";']
    if package:
        lines.append(f"package {package};")
    if imports:
        lines += ["", *(f'import "{name}";' for name in imports)]
    return "\n".join([*lines, "", *_message(message)]) + "\n"


def _message(message: ProtoMessage) -> Iterator[str]:
    if not message.fields and not message.nested:
        yield f"message {message.name} {{}}"
        return
    yield f"message {message.name} {{"
    for field in message.fields:
        yield from _indented(_field(field))
    if message.nested:
        yield ""
    for nested in message.nested:
        yield from _indented(_message(nested))
    yield "}"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _field(field: ProtoField) -> Iterator[str]:
    label = f"{field.label} " if field.label else ""
    start = f"{label}{field.type} {field.name} = {field.number}"
    if not field.parameters:
        yield f"{start};"
        return
    yield f"{start} [(confluent.field_meta) = {{"
    yield "  params: ["
    last = len(field.parameters) - 1
    for index, (key, value) in enumerate(field.parameters):
        members = [f'key: "{key}"', f'value: "{value}"']
        if key in ("precision", "scale"):
            members.reverse()
        yield from ("    {", f"      {members[0]},", f"      {members[1]}")
        yield "    }" if index == last else "    },"
    yield from ("  ]", "}];")
