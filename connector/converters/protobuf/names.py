"""Names in Protobuf files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote_plus

from connector.errors import ConversionError

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PACKAGE: Final = re.compile(r"[\w-]+(\.[\w-]+)*", re.ASCII)  # Java and registries allow these
_NOT_LETTERS: Final = re.compile(r"[^a-zA-Z0-9_]")
_REMEDY: Final = "Set scrub.invalid.names=true in the converter."


def scrub_name(name: str) -> str:
    """Replace what Protobuf does not allow in a name."""
    if re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) or not name:
        return name
    encoded = quote_plus(name, safe="*").replace("~", "%7E")
    if encoded[0] in "_0123456789":
        encoded = "x" + encoded
    return _NOT_LETTERS.sub("_", encoded)


def check_name(name: str) -> str:
    """Return the name of a message or field.

    :raises ConversionError: Protobuf does not allow it.
    """
    if not _NAME.fullmatch(name):
        raise ConversionError(f"The name '{name}' is illegal in Protobuf.", _REMEDY)
    return name


def checked_package(name: str) -> str:
    """Return the name of a package, which may be empty.

    :raises ConversionError: Protobuf does not allow it.
    """
    if name and not _PACKAGE.fullmatch(name):
        raise ConversionError(f"The package '{name}' is illegal in Protobuf.", _REMEDY)
    return name


def check_unique(message: str, names: Iterable[str]) -> None:
    """Refuse a message with two members of one name.

    :raises ConversionError: two have the same name.
    """
    known: set[str] = set()
    for name in names:
        if name in known:
            raise ConversionError(
                f"The Protobuf message {message} has two members of the name {name}.",
                "Rename one of the columns, or one of the schemas with SetSchemaMetadata.",
            )
        known.add(name)


def camel_case(name: str) -> str:
    """Return a name with underscores in the case of messages; any other stays."""
    if "_" not in name:
        return name
    return "".join(word[:1].upper() + word[1:].lower() for word in name.split("_"))


def is_hidden(name: str, package: str, messages: Iterable[str]) -> bool:
    """Whether a part of the package, or a message around, hides the type of another file."""
    first = name.partition(".")[0]
    return first in package.split(".")[1:] or first in messages
