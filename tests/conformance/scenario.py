"""Scenarios: SQL files that run once while Debezium and Millrace capture the same server.

Directives stand in comments::

    -- server: mysql            only there (default: mysql and mariadb)
    -- config: key=value        a property of the connectors (repeatable); PFX is their prefix
    -- only: json               names that are adjusted for Avro, see names_for_avro.sql
    -- phase: before            SQL ahead of the connectors: the snapshot sees it
    -- phase: streaming         SQL while both stream
    -- phase: offline           SQL while both are stopped

``@FOLDER@`` in a statement is an empty folder of the run. ``DELIMITER`` works as in the mysql
client. Each scenario has databases of its own: those with the same properties share one pair of
connectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "scenarios"
FOLDER_OF_RUN = "@FOLDER@"
PHASES = ("before", "streaming", "offline")
_DIRECTIVE = re.compile(r"-- (server|config|only|phase):\s*(.*?)\s*$")
_DATABASE = re.compile(
    r"create (?:database|schema) (?:if not exists )?(?:`([^`]+)`|([\w$]+))", re.IGNORECASE
)


@dataclass(frozen=True)
class Scenario:
    name: str
    servers: tuple[str, ...]
    config: frozenset[tuple[str, str]]
    phases: dict[str, tuple[str, ...]]
    databases: tuple[str, ...]
    in_avro: bool = True


def load() -> list[Scenario]:
    return [read(path) for path in sorted(FOLDER.glob("*.sql"))]


def read(path: Path) -> Scenario:
    servers: tuple[str, ...] = ("mysql", "mariadb")
    config: dict[str, str] = {}
    texts: dict[str, list[str]] = {phase: [] for phase in PHASES}
    phase, in_avro = None, True
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        match = _DIRECTIVE.match(line)
        if match is None:
            if phase is not None:
                texts[phase].append(line)
        elif match[1] == "server":
            servers = tuple(part.strip() for part in match[2].split(","))
        elif match[1] == "only":
            in_avro = match[2] != "json"
        elif match[1] == "config":
            key, _, value = match[2].partition("=")
            config[key] = value
        else:
            phase = match[2]
    whole = "".join("".join(lines) for lines in texts.values())
    return Scenario(
        path.stem,
        servers,
        frozenset(config.items()),
        {phase: tuple(statements("".join(lines))) for phase, lines in texts.items()},
        tuple(dict.fromkeys(match[1] or match[2] for match in _DATABASE.finditer(whole))),
        in_avro,
    )


def statements(text: str) -> Iterator[str]:
    delimiter, lines = ";", list[str]()
    for line in text.splitlines():
        change = re.match(r"\s*DELIMITER\s+(\S+)", line, re.IGNORECASE)
        if change:
            delimiter = change[1]
            continue
        if not lines and (not line.strip() or line.startswith("-- ")):
            continue
        lines.append(line)
        if line.rstrip().endswith(delimiter):
            statement = "\n".join(lines).rstrip().removesuffix(delimiter).strip()
            lines = []
            if statement:
                yield statement
    if lines:
        yield "\n".join(lines).strip()
