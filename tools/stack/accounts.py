"""The accounts that every database server here has, and the SQL that makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Account:
    """A database user who may connect from anywhere."""

    user: str
    password: str
    privileges: str


_ALL: Final = "ALL PRIVILEGES"

# The privileges that Debezium's documentation requires, and nothing else.
_CAPTURING: Final = "SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT"

ROOT: Final = Account("root", "root", f"{_ALL} WITH GRANT OPTION")
OWNER: Final = Account("owner", "owner", _ALL)
CAPTURE: Final = Account("capture", "capture", _CAPTURING)
ACCOUNTS: Final = (ROOT, OWNER, CAPTURE)


def modern_statements() -> Iterator[str]:
    """Yield the SQL for servers on which CREATE USER takes IF NOT EXISTS."""
    for account in ACCOUNTS:
        yield (f"CREATE USER IF NOT EXISTS '{account.user}'@'%' IDENTIFIED BY '{account.password}'")
        yield grant(account)


def oldest_statements() -> Iterator[str]:
    """Yield the SQL for MySQL 5.6, whose package comes with accounts without passwords."""
    yield "DELETE FROM mysql.user"  # anonymous and local accounts would match first
    yield "FLUSH PRIVILEGES"
    for account in ACCOUNTS:
        yield f"CREATE USER '{account.user}'@'%' IDENTIFIED BY '{account.password}'"
        yield grant(account)


def grant(account: Account) -> str:
    """Return the statement that gives an account its privileges."""
    privileges, option, _ = account.privileges.partition(" WITH GRANT OPTION")
    return f"GRANT {privileges} ON *.* TO '{account.user}'@'%'{option}"
