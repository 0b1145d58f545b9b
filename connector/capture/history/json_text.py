"""JSON text as Jackson writes it: compact, or with its default pretty printer.

Records of a schema history are compared and read by people: the text is Debezium's to the byte.
"""

from __future__ import annotations

from typing import Any, Final

_ESCAPES: Final = {
    **{code: f"\\u{code:04X}" for code in range(32)},
    **{ord(char): f"\\{letter}" for char, letter in zip("\b\t\n\f\r", "btnfr", strict=True)},
    ord('"'): '\\"',
    ord("\\"): "\\\\",
}
_WORDS: Final = {None: "null", True: "true", False: "false"}


def compact(value: Any) -> str:
    """Return a document on one line, without white space."""
    if isinstance(value, dict):
        members = (f"{_string(name)}:{compact(member)}" for name, member in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return _scalar(value)


def pretty(value: Any, indent: str = "\n") -> str:
    """Return a document with a line for each member of an object, arrays on one line."""
    if isinstance(value, dict):
        if not value:
            return "{ }"
        deeper = indent + "  "
        members = (f"{_string(name)} : {pretty(member, deeper)}" for name, member in value.items())
        return "{" + deeper + ("," + deeper).join(members) + indent + "}"
    if isinstance(value, list):
        return "[ " + ", ".join(pretty(item, indent) for item in value) + " ]" if value else "[ ]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return str(value)


def _string(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
