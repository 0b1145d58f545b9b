"""Differences of a JSON document, as MySQL writes them for partial updates.

Each is an operation (0 = replace, 1 = insert, 2 = remove), a path after its length, and, except
for a removal, a binary document after its length. A path is like ``$.name[3]``.
"""

from __future__ import annotations

import json
import re
from typing import Any

from connector.errors import ConversionError
from connector.mysql.session.wire import length_encoded
from connector.mysql.types.binary_json import json_tree, tree_text
from connector.mysql.types.fields import DocumentText

_REPLACE, _INSERT, _REMOVE = 0, 1, 2
_LEG = re.compile(r'\[(\d+)\]|\.("(?:[^"\\]|\\.)*"|[^.\["]+)')
DEBEZIUM = DocumentText(json_tree, tree_text)
_PATH = re.compile(rf"\$?(?:{_LEG.pattern})*")


def apply_diffs(document: bytes, diffs: bytes, codec: DocumentText = DEBEZIUM) -> str:
    """Return the text of a binary document after all differences.

    :raises ConversionError: when one of them is malformed or does not fit the document.
    """
    tree = codec.tree(document)
    offset = 0
    try:
        while offset < len(diffs):
            operation = diffs[offset]
            path, offset = _cut(diffs, offset + 1)
            value = None
            if operation != _REMOVE:
                data, offset = _cut(diffs, offset)
                value = codec.tree(data)
            tree = _apply(tree, _legs(path.decode("utf-8")), operation, value)
    except (LookupError, TypeError, ValueError):
        raise ConversionError("a JSON difference does not fit its document") from None
    return codec.text(tree)


def _cut(data: bytes, offset: int) -> tuple[bytes, int]:
    """Cut out what stands behind its length; return it with the offset behind it."""
    size, start = length_encoded(data, offset)
    end = start + size
    if end > len(data):
        raise ValueError("cut short")
    return data[start:end], end


def _legs(path: str) -> list[str | int]:
    if _PATH.fullmatch(path) is None:
        raise ValueError("no path")
    legs: list[str | int] = []
    for index, name in _LEG.findall(path):
        if index:
            legs.append(int(index))
        else:
            legs.append(json.loads(name) if name.startswith('"') else name)
    return legs


def _apply(tree: Any, path: list[str | int], operation: int, value: Any) -> Any:
    """Return the tree with one difference; what is replaced or removed has to be there."""
    if operation > _REMOVE:
        raise ValueError("no operation")
    if not path:
        return value
    parent = tree
    for leg in path[:-1]:
        parent = parent[leg]
    leg = path[-1]
    if isinstance(parent, list) and isinstance(leg, int):
        _change_list(parent, leg, operation, value)
    elif isinstance(parent, dict) and isinstance(leg, str):
        _change_members(parent, leg, operation, value)
    else:
        raise TypeError("another container")
    return tree


def _change_list(items: list[Any], index: int, operation: int, value: Any) -> None:
    if operation == _INSERT:
        items.insert(index, value)
    elif operation == _REMOVE:
        del items[index]
    else:
        items[index] = value


def _change_members(members: dict[str, Any], name: str, operation: int, value: Any) -> None:
    if operation == _INSERT:
        members[name] = value
        _sort(members)
    elif operation == _REMOVE:
        del members[name]
    elif name in members:
        members[name] = value
    else:
        raise KeyError(name)


def _sort(members: dict[str, Any]) -> None:
    """Put the members in stored order: by the length of the name, then by its bytes."""
    ordered = sorted(members.items(), key=lambda member: (len(member[0].encode()), member[0]))
    members.clear()
    members.update(ordered)
