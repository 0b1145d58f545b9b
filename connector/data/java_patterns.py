"""Java's notation of replacements as Python's."""

from __future__ import annotations

import re

_GROUP = re.compile(r"\\(.)|\$([0-9]+)|\$\{(\w+)\}")


def java_replacement(text: str, groups: int) -> str:
    r"""Turn Java's ``$1`` and ``${name}`` into Python's ``\g<1>``; a backslash quotes.

    Of the digits behind a $ as many count as name one of the ``groups`` of the pattern.
    """

    def python(match: re.Match[str]) -> str:
        if match[1]:
            return "\\\\" if match[1] == "\\" else match[1]
        if match[3]:
            return f"\\g<{match[3]}>"
        digits = match[2]
        length = 1
        while length < len(digits) and int(digits[: length + 1]) <= groups:
            length += 1
        return f"\\g<{digits[:length]}>{digits[length:]}"

    return _GROUP.sub(python, text)
