"""The server's system variables that statements and the snapshot have set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from connector.mysql.ddl.statements import VariableScope

# the servers' bits of sql_mode; MySQL has no ORACLE any more
_ANSI_QUOTES, _ORACLE, _NO_BACKSLASH_ESCAPES = 1 << 2, 1 << 9, 1 << 20


class Quoting(NamedTuple):
    """How a session writes strings, names and dates.

    :param ansi_quotes: double quotes enclose names, not strings.
    :param backslashes: backslashes escape within strings.
    :param oracle: a DATE is a DATETIME, as in Oracle (MariaDB).
    """

    ansi_quotes: bool = False
    backslashes: bool = True
    oracle: bool = False

    @classmethod
    def of_bits(cls, sql_mode: int) -> Quoting:
        """Read the bits that the binary log has for the session of a statement."""
        return cls(
            bool(sql_mode & _ANSI_QUOTES),
            not sql_mode & _NO_BACKSLASH_ESCAPES,
            bool(sql_mode & _ORACLE),
        )


class SystemVariables:
    """Variables by name; one of the session hides the global one of the same name."""

    def __init__(self) -> None:
        self._values: dict[VariableScope, dict[str, str]] = {"SESSION": {}, "GLOBAL": {}}

    def set(self, name: str, value: str | None, scope: VariableScope = "SESSION") -> None:
        """Set a variable; None removes it from its scope."""
        if value is None:
            self._values[scope].pop(name.lower(), None)
        else:
            self._values[scope][name.lower()] = value

    def get(self, name: str) -> str | None:
        """Return the value of a variable, None when it is not known."""
        session, everywhere = self._values["SESSION"], self._values["GLOBAL"]
        return session.get(name.lower(), everywhere.get(name.lower()))

    def state(self) -> dict[str, dict[str, str]]:
        """Return all values by scope."""
        return {scope: dict(values) for scope, values in self._values.items()}

    def restore(self, state: Mapping[str, Mapping[str, str]]) -> None:
        """Take over what `state` gave."""
        for scope, values in self._values.items():
            values.clear()
            values.update(state[scope])

    def quoting(self) -> Quoting:
        """Return what ``sql_mode`` says.

        The combined modes that imply ANSI_QUOTES (ANSI, ORACLE …) stand expanded in the server's
        variable.
        """
        modes = (self.get("sql_mode") or "").upper().split(",")
        return Quoting(
            "ANSI_QUOTES" in modes, "NO_BACKSLASH_ESCAPES" not in modes, "ORACLE" in modes
        )
