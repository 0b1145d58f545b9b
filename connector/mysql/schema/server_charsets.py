"""The present character sets of a server and its databases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from connector.mysql.session.connection import Connection


@dataclass(frozen=True, slots=True)
class ServerCharsets:
    """The default character sets of a server and, by name, of its databases."""

    server: str | None = None
    databases: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, connection: Connection) -> ServerCharsets:
        """Read them from the server."""
        rows = connection.rows(
            "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME FROM information_schema.SCHEMATA"
        )
        databases = {str(name): str(charset) for name, charset in rows}
        return cls(connection.variable("character_set_server"), databases)
