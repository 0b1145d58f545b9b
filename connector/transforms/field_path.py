"""Names of fields: plain (V1), or paths into structs (V2) such as ``after.`first.name` ``."""

from __future__ import annotations

from typing import Any, Final

from connector.config import ConfigKey
from connector.data.schema import Field, Schema
from connector.errors import ConfigError, TransformError
from connector.transforms.part import require_map, value_or_default
from connector.transforms.validators import any_case_of

SYNTAX: Final = ConfigKey(
    "field.syntax.version", "STRING", "V1", "HIGH",
    "V1: a plain name. V2: a path with dots; names that hold dots stand in backticks.",
    validator=any_case_of("V1", "V2"),
)  # fmt: skip

_PURPOSE = "nested field access"


class FieldPath:
    """Where a value is within a struct or map."""

    def __init__(self, text: str, version: str) -> None:
        self._steps = split_path(text) if version.upper() == "V2" else [text]

    def field(self, schema: Schema) -> Field | None:
        """Return the field that the path leads to, None when there is none."""
        found = None
        for step in self._steps:
            found = schema.field(step)
            if found is None:
                return None
            schema = found.schema
        return found

    def value(self, schema: Schema, value: Any, *, defaults: bool) -> Any:
        """Return the value of that field."""
        for step in self._steps[:-1]:
            field = schema.field(step)
            if field is None:
                return None
            schema, value = field.schema, value_or_default(field.schema, value.get(step))
            if value is None:
                return None
            if schema.type != "struct":
                raise TransformError(f"Only Struct objects supported for [{_PURPOSE}]")
        last = schema.field(self._steps[-1])
        if last is None:
            return None
        return value_or_default(last.schema, value.get(last.name), defaults=defaults)

    def member(self, value: dict[str, Any]) -> Any:
        """Return the value within maps."""
        for step in self._steps[:-1]:
            inner = value.get(step)
            if inner is None:
                return None
            value = require_map(inner, _PURPOSE)
        return value.get(self._steps[-1])


def split_path(path: str) -> list[str]:
    """Split a path of V2.

    :raises ConfigError: a backtick is not closed.
    """
    steps, position = [], 0
    while position < len(path):
        if path[position] == "`":
            step, position = _quoted(path, position)
        else:
            end = path.find(".", position)
            end = len(path) if end < 0 else end
            step, position = path[position:end], end + 1
        steps.append(step)
    return [*steps, ""] if path.endswith(".") else steps


def _quoted(path: str, opening: int) -> tuple[str, int]:
    """Return the name within backticks and where the next step begins."""
    name, start, position = "", opening + 1, opening + 1
    while True:
        position = path.find("`", position)
        if position < 0:
            raise _open(path, opening)
        escaped = path[position - 1] == "\\"
        if position >= len(path) - 1:
            if escaped:
                raise _open(path, opening)
            return name + path[start:position], position + 1
        if path[position + 1] != ".":
            position += 1  # a backtick within the name
        elif escaped:
            name += path[start : position - 1] + "`"
            position += 1
            start = position
        else:
            return name + path[start:position], position + 2


def _open(path: str, position: int) -> ConfigError:
    return ConfigError(
        f"Incomplete backtick pair in path: [{path}], consider adding a backslash before backtick "
        f"at position {position} to escape it"
    )
