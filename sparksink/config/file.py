"""Reads a configuration: YAML, references to secrets, and error messages."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped] # it has no types of its own
from pydantic import BaseModel, ValidationError

from sparksink.config.keys import SinkConfig
from sparksink.config.table import OverrideError, TableConfig
from sparksink.config.unsupported import unsupported_keys
from sparksink.errors import ConfigError

_REFERENCE: Final = re.compile(r"\$\{(env|file):([^}]+)\}")


def load(path: Path, environment: Mapping[str, str], overrides: Iterable[str] = ()) -> SinkConfig:
    """Read a file; ``overrides`` are ``section.key=value`` and win.

    ``${env:NAME}`` and ``${file:PATH}`` in a value stand for an environment variable and for the
    contents of a file.

    :raises ConfigError: the file is unreadable or invalid; messages contain no values.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not YAML: {_yaml_location(error)}") from error
    if not isinstance(document, dict):
        raise ConfigError(f"{path} has no keys")
    for override in overrides:
        _set(document, override)
    return parse(_resolve(document, environment))


def parse(document: Mapping[str, Any]) -> SinkConfig:
    """Validate a configuration.

    :raises ConfigError: it is invalid.
    """
    if known := list(unsupported_keys(document)):
        raise ConfigError("; ".join(known))
    try:
        return SinkConfig.model_validate(document)
    except ValidationError as error:
        faults = [_describe(fault) for fault in _errors(error)]
        raise ConfigError("; ".join(faults)) from None


def _yaml_location(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1}: {getattr(error, 'problem', '')}" if mark else "unreadable"


def _set(document: dict[str, Any], override: str) -> None:
    """Set one key; the part before the first dot is the section, if such a section exists."""
    key, equals, text = override.partition("=")
    if not equals:
        raise ConfigError(f"--set {key}: write --set section.key=value")
    section, _, rest = key.partition(".")
    known = SinkConfig.model_fields.get(section)
    value = yaml.safe_load(text)
    if known is not None and rest:
        document.setdefault(section, {})[rest] = value
    else:
        document[key] = value


def _resolve(value: Any, environment: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _resolve(item, environment) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolve(item, environment) for item in value]
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: _secret(found[1], found[2], environment), value)
    return value


def _secret(kind: str, name: str, environment: Mapping[str, str]) -> str:
    if kind == "env":
        if name not in environment:
            raise ConfigError(f"${{env:{name}}}: the environment variable does not exist")
        return environment[name]
    try:
        return Path(name).read_text(encoding="utf-8").rstrip("\n")
    except OSError as error:
        raise ConfigError(f"${{file:{name}}} cannot be read: {error.strerror}") from error


def _errors(error: ValidationError) -> Iterator[Mapping[str, Any]]:
    """Yield validation errors; the errors of an override are nested in one of the whole file."""
    for fault in error.errors(include_input=False, include_url=False):
        inner = fault.get("ctx", {}).get("error")
        if isinstance(inner, OverrideError):
            for one in inner.cause.errors(include_input=False, include_url=False):
                yield {**one, "loc": ("tables", inner.match, *one["loc"])}
        else:
            yield fault


def _describe(fault: Mapping[str, Any]) -> str:
    path = [str(part) for part in fault["loc"]]
    key = ".".join(path)
    if fault["type"] != "extra_forbidden":
        return f"{key or 'the file'}: {fault['msg'].removeprefix('Value error, ')}"
    elsewhere = next(iter(_sections_with(path[-1])), None)
    near = difflib.get_close_matches(path[-1], _keys_beside(path[:-1]), 1, 0.5)
    hint = elsewhere or (near[0] if near else None)
    return f"{key}: unknown key" + (f"; did you mean {hint}?" if hint else "")


def _keys_beside(section: list[str]) -> list[str]:
    model: Any = SinkConfig
    if section[:1] == ["tables"] and len(section) > 2:
        model, section = TableConfig, section[2:]
    for name in section:
        found = next((f for f in model.model_fields.values() if f.alias == name), None)
        model = _model_in(found.annotation) if found is not None else model
    return [field.alias for field in model.model_fields.values()]


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_model_in(part) for part in getattr(annotation, "__args__", ()))
    return next((model for model in inner if model is not SinkConfig), SinkConfig)


def _sections_with(key: str) -> Iterable[str]:
    for section, field in SinkConfig.model_fields.items():
        if key in (f.alias for f in getattr(field.annotation, "model_fields", {}).values()):
            yield f"{section}: {key}"
