"""Java's notation of replacements as Python's."""

from __future__ import annotations

import re

_GROUP = re.compile(r"\\(.)|\$(\d)|\$\{(\w+)\}")


def java_replacement(text: str) -> str:
    r"""Turn Java's ``$1`` and ``${name}`` into Python's ``\g<1>``; a backslash quotes."""

    def python(match: re.Match[str]) -> str:
        if match[1]:
            return "\\\\" if match[1] == "\\" else match[1]
        return f"\\g<{match[2] or match[3]}>"

    return _GROUP.sub(python, text)
