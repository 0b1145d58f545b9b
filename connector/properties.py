"""Configuration files: Java ``.properties`` and connector files in JSON or ``.properties``.

The format is the one of java.util.Properties: ``#`` and ``!`` comments, ``=``, ``:`` or white
space between key and value, a backslash at the end of a line joins the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from connector.errors import ConfigError

_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_SPACES: Final = " \t\f"


@dataclass(frozen=True, slots=True)
class ConnectorFile:
    """A connector given on the command line."""

    path: str
    name: str
    config: dict[str, str | None]
    initial_state: str | None = None


def read_properties(path: Path) -> dict[str, str]:
    """Read a ``.properties`` file, in UTF-8 or else ISO-8859-1.

    :raises ConfigError: the file cannot be read or holds a broken escape.
    """
    raw = _read(path)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("iso-8859-1")
    try:
        return parse_properties(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from None


def parse_properties(text: str) -> dict[str, str]:
    r"""Parse the text of a ``.properties`` file; a later key replaces an earlier one.

    :raises ConfigError: a ``\u`` escape without four hexadecimal digits.
    """
    return dict(_split(line) for line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines without comments and blank lines, continuations joined."""
    joined = ""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        part = line.lstrip(_SPACES)
        if not joined and (not part or part[0] in "#!"):
            continue
        backslashes = len(part) - len(part.rstrip("\\"))
        if backslashes % 2:
            joined += part[:-1]
            continue
        yield joined + part
        joined = ""
    if joined:
        yield joined


def _split(line: str) -> tuple[str, str]:
    """Split a logical line at the first separator that is not escaped."""
    end = 0
    while end < len(line) and line[end] not in "=:" + _SPACES:
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(_SPACES)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_SPACES)
    return _unescape(line[:end]), _unescape(rest)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    units: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\" and at < len(text):
            char = text[at]
            at += 1
            if char == "u":
                char = _code_unit(text[at : at + 4])
                at += 4
            else:
                char = _ESCAPES.get(char, char)
        elif char == "\\":
            break
        units.append(char)
    # \u escapes are UTF-16 units: a pair of surrogates is one character
    return "".join(units).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _code_unit(digits: str) -> str:
    try:
        return chr(int(digits, 16)) if len(digits) == 4 else _broken(digits)
    except ValueError:
        return _broken(digits)


def _broken(digits: str) -> str:
    raise ConfigError(f"The escape \\u{digits} needs four hexadecimal digits.")


def read_connector(path: Path) -> ConnectorFile:
    """Read a connector's file: JSON, flat or as ``{"name", "config"}``, or ``.properties``.

    :raises ConfigError: naming the file and what is wrong with it.
    """
    config: dict[str, str | None]
    state: str | None = None
    name: str | None = None
    if path.suffix == ".json":
        document = _read_json(path)
        if isinstance(document.get("config"), dict):
            config = _texts(path, document["config"])
            name, state = (_text(document.get(key)) for key in ("name", "initial_state"))
        else:
            config = _texts(path, document)
    else:
        config = dict(read_properties(path))
    name = name or config.get("name")
    if not name:
        raise ConfigError(
            f"Connector configuration at '{path}' is missing the mandatory 'name' configuration"
        )
    return ConnectorFile(str(path), name, config, state)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(_read(path))
    except ValueError as error:
        raise ConfigError(f"{path}: not valid JSON: {error}.") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: must hold a JSON object.")
    return document


def _texts(path: Path, values: Mapping[str, Any]) -> dict[str, str | None]:
    for key, value in values.items():
        if isinstance(value, dict | list):
            raise ConfigError(f"{path}: the value of '{key}' must be a text, not a structure.")
    return {key: _text(value) for key, value in values.items()}


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)
