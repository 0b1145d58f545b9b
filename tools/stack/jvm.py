"""Java command lines and property files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tools.stack.programs import java

SHORT_LIVED: Final = ("-XX:TieredStopAtLevel=1",)
"""Options of a server that lives for some minutes: they are too few for the better compiler."""

LONG_LIVED: Final[tuple[str, ...]] = ()
"""Options of a server whose speed counts."""

_LOGGING: Final = Path(__file__).with_name("log4j2.yaml")


def java_command(
    libraries: Path,
    heap: str,
    main_class: str,
    *arguments: str | Path,
    options: Sequence[str] = (),
) -> list[str]:
    """Return the command that runs a class of Kafka.

    :param heap: the maximum, such as ``512m``.
    :param options: more options of the JVM.
    """
    return [
        java(),
        f"-Xmx{heap}",
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",
        *options,
        f"-Dlog4j2.configurationFile={_LOGGING}",
        "-classpath",
        f"{libraries}/*",  # Java itself expands it
        main_class,
        *map(str, arguments),
    ]


def write_properties(file: Path, properties: Mapping[str, str | int]) -> None:
    """Write a property file; of what needs an escape, values may have backslashes alone."""
    texts = {key: str(value).replace("\\", "\\\\") for key, value in properties.items()}
    file.write_text("".join(f"{key}={text}\n" for key, text in texts.items()))
