r"""Java's regular expressions, as Debezium and Kafka Connect take them, on Python's `re`.

The notations look alike and differ: in Java ``\w`` and the case of letters are ASCII, ``.``
stops at more ends of lines, ``(?i)`` may stand anywhere, there is ``\p{Alpha}`` and ``\Q…\E``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from connector.data.java_regex.translation import RegexTranslation

__all__ = ["compile_java"]

_LONGEST = 100_000  # characters


@lru_cache(maxsize=1_000)
def compile_java(text: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a regular expression of Java.

    :param flags: `re.IGNORECASE`, for Java's ``CASE_INSENSITIVE``, or none.
    :raises re.error: Java refuses it, or it has something that is not supported.
    """
    if len(text) > _LONGEST:
        raise re.error("it is too long", text)
    try:
        return re.compile(
            RegexTranslation(text, ignores_case=bool(flags & re.IGNORECASE)).translate(),
            flags | re.ASCII,
        )
    except re.error as error:
        if error.pattern is text:
            raise
        raise re.error(f"not supported: {error.msg}", text) from error
    except (OverflowError, RecursionError) as error:
        raise re.error("it is nested too deeply or repeats too often", text) from error
