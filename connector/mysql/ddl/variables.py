"""The server's system variables as far as statements and the snapshot have told them."""

from __future__ import annotations

from connector.mysql.ddl.statements import Scope


class SystemVariables:
    """Variables by name; one of the session hides the global one of the same name."""

    def __init__(self) -> None:
        self._values: dict[Scope, dict[str, str]] = {"SESSION": {}, "GLOBAL": {}}

    def set(self, name: str, value: str | None, scope: Scope = "SESSION") -> None:
        """Set a variable; None removes it from its scope."""
        if value is None:
            self._values[scope].pop(name.lower(), None)
        else:
            self._values[scope][name.lower()] = value

    def get(self, name: str) -> str | None:
        """Return the value of a variable, None when it is not known."""
        session, everywhere = self._values["SESSION"], self._values["GLOBAL"]
        return session.get(name.lower(), everywhere.get(name.lower()))

    def has_mode(self, mode: str) -> bool:
        """Tell whether ``sql_mode`` contains a mode, for instance ANSI_QUOTES.

        The combined modes that imply ANSI_QUOTES (ANSI, ORACLE …) stand expanded in the server's
        variable.
        """
        return mode in (self.get("sql_mode") or "").upper().split(",")
