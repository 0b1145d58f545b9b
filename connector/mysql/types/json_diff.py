"""Differences of a JSON document, as MySQL writes them for partial updates.

Each is an operation (0 = replace, 1 = insert, 2 = remove), a path behind its length, and, but
for a removal, a binary document behind its length. A path is like ``$.name[3]``.
"""

from __future__ import annotations

import json
import re
from typing import Any

from connector.errors import ConversionError
from connector.mysql.binlog.tablemap import length_encoded
from connector.mysql.types.binary_json import json_tree, tree_text

_REPLACE, _INSERT, _REMOVE = 0, 1, 2
_LEG = re.compile(r'\[(\d+)\]|\.("(?:[^"\\]|\\.)*"|[^.\[]+)')


def apply_diffs(document: bytes, diffs: bytes) -> str:
    """Return the text of a binary document after all differences."""
    tree = json_tree(document)
    offset = 0
    while offset < len(diffs):
        operation = diffs[offset]
        size, offset = length_encoded(diffs, offset + 1)
        path = _legs(diffs[offset : offset + size].decode("utf-8"))
        offset += size
        value = None
        if operation != _REMOVE:
            size, offset = length_encoded(diffs, offset)
            value = json_tree(diffs[offset : offset + size])
            offset += size
        tree = _applied(tree, path, operation, value)
    return tree_text(tree)


def _legs(path: str) -> list[str | int]:
    legs: list[str | int] = []
    for index, name in _LEG.findall(path):
        if index:
            legs.append(int(index))
        else:
            legs.append(json.loads(name) if name.startswith('"') else name)
    return legs


def _applied(tree: Any, path: list[str | int], operation: int, value: Any) -> Any:
    if not path:
        return value
    parent = tree
    for leg in path[:-1]:
        parent = parent[leg]
    leg = path[-1]
    if operation == _REMOVE:
        del parent[leg]
    elif isinstance(parent, list):
        assert isinstance(leg, int)
        if operation == _INSERT:
            parent.insert(leg, value)
        else:
            parent[leg] = value
    elif operation in (_REPLACE, _INSERT):
        parent[leg] = value
        if operation == _INSERT:
            _sort(parent)
    else:
        raise ConversionError(f"unknown operation {operation} in a JSON difference")
    return tree


def _sort(members: dict[str, Any]) -> None:
    """Put the members in stored order: by the length of the name, then by its bytes."""
    ordered = sorted(members.items(), key=lambda member: (len(member[0].encode()), member[0]))
    members.clear()
    members.update(ordered)
