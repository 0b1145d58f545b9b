"""database.ssl.*: real handshakes, of the sessions for statements and of the one for the log."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from connector.capture.change import Position, RowChanges
from connector.capture.snapshot_plan import Plan
from connector.capture.source import Source
from connector.errors import AccessDeniedError, StopError
from tests.fixtures.certificates import Identity, identity
from tests.fixtures.databases import FreshDatabase, fresh_database
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tools.stack import MariaDb, MySql97, Workspace

pytestmark = pytest.mark.usefixtures("mysql")  # named here, so that it is known to be needed

PLAN = Plan("initial", schema=True, data=True)


@dataclass(frozen=True, slots=True)
class Secured:
    """A database of a server with TLS; ``authority`` is the file of whom vouches for the server."""

    database: FreshDatabase
    authority: Path
    client: Path
    names_its_address: bool

    @property
    def user(self) -> str:
        """The account that may log in with TLS only; its password is its name."""
        return f"{self.database.name}tls"

    def require(self, what: str) -> None:
        """Make the account; ``what`` is what it has to bring along."""
        self.database.execute(
            f"CREATE USER {self.user} IDENTIFIED BY '{self.user}' REQUIRE {what}",
            "GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT "
            f"ON *.* TO {self.user}",
        )

    def source(self, mode: str, **more: str) -> Source[Any]:
        """Return a source; modes have MariaDB's names there."""
        if "mariadb" in self.database.server.connector_class:
            mode = {"required": "trust", "verify_ca": "verify-ca"}.get(mode, mode)
            mode = {"verify_identity": "verify-full", "disabled": "disable"}.get(mode, mode)
        return source(
            self.database,
            database__user=self.user,
            database__password=self.user,
            database__ssl__mode=mode,
            **{f"database__ssl__{name}": text for name, text in more.items()},
        )


@pytest.fixture(scope="module")
def authority() -> Identity:
    return identity("authority")


@pytest.fixture(scope="module")
def with_certificate(
    workspace: Workspace, authority: Identity, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MariaDb]:
    """A MariaDB whose certificate names its address."""
    folder = tmp_path_factory.mktemp("certificates")
    certificate, key = identity("server", authority, "127.0.0.1").write(folder, "server")
    trusted, _ = authority.write(folder, "authority")
    options = [f"--ssl-ca={trusted}", f"--ssl-cert={certificate}", f"--ssl-key={key}"]
    with MariaDb(workspace, options=options) as server:
        yield server


@pytest.fixture(params=["mysql", "with_certificate"])
def secured(
    request: pytest.FixtureRequest, authority: Identity, tmp_path: Path
) -> Iterator[Secured]:
    """A MySQL with the certificates that it makes itself, then that MariaDB."""
    server: MySql97 | MariaDb = request.getfixturevalue(request.param)
    own = request.param == "mysql"
    trusted, _ = authority.write(tmp_path, "authority")
    client = identity("client", authority).store(tmp_path / "client.p12", "client")
    with fresh_database(server) as database:
        database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
        made = Secured(database, server.data / "ca.pem" if own else trusted, client, not own)
        yield made
        database.execute(f"DROP USER IF EXISTS {made.user}")


def captured(made: Source[Any], database: FreshDatabase) -> list[int]:
    """Return the row of the snapshot, and one that is written then."""
    made.open()
    snapshot, found = made.snapshot(PLAN, None), []
    try:
        position: Position | None = None
        while position is None:
            try:
                change = next(snapshot)
            except StopIteration as ended:
                position = ended.value
            else:
                found += [change] if isinstance(change, RowChanges) else []
        database.execute("INSERT INTO t VALUES (2)")
        streamed = single_changes(made.stream(position))
        found.append(next(each for each in streamed if isinstance(each, RowChanges)))
    finally:
        made.close()
    return [row[0] for change in found for _, row in change.rows if row]


@pytest.mark.parametrize("mode", ["preferred", "required"])
def test_all_sessions_are_encrypted(secured: Secured, mode: str) -> None:
    if mode == "preferred" and secured.names_its_address:
        mode = "trust"  # MariaDB's connector has no such mode
    secured.require("SSL")
    assert captured(secured.source(mode), secured.database) == [1, 2]


def test_without_encryption_such_a_user_is_refused(secured: Secured) -> None:
    secured.require("SSL")
    made = secured.source("disabled")
    with pytest.raises(AccessDeniedError):
        made.open()


def test_the_issuer_of_the_server_certificate_is_verified(secured: Secured, tmp_path: Path) -> None:
    secured.require("SSL")
    made = secured.source("verify_ca", truststore=str(secured.authority))
    assert captured(made, secured.database) == [1, 2]
    stranger, _ = identity(f"stranger{uuid.uuid4().hex}").write(tmp_path, "stranger")
    with pytest.raises(StopError, match="certificate verify failed") as refused:
        secured.source("verify_ca", truststore=str(stranger)).open()
    assert refused.value.remedy is not None
    assert "database.ssl.truststore" in refused.value.remedy


def test_the_name_of_the_server_is_verified(secured: Secured) -> None:
    secured.require("SSL")
    made = secured.source("verify_identity", truststore=str(secured.authority))
    if secured.names_its_address:
        assert captured(made, secured.database) == [1, 2]
        return
    with pytest.raises(StopError, match="certificate verify failed"):
        made.open()


@pytest.mark.parametrize("secured", ["with_certificate"], indirect=True)
def test_a_certificate_of_the_client(secured: Secured) -> None:
    secured.require("X509")
    with pytest.raises(AccessDeniedError):
        secured.source("verify_ca", truststore=str(secured.authority)).open()
    made = secured.source(
        "verify_ca",
        truststore=str(secured.authority),
        keystore=str(secured.client),
        keystore__password="client",
    )
    assert captured(made, secured.database) == [1, 2]


def test_a_server_without_encryption_is_refused_where_it_is_required(
    mariadb_database: FreshDatabase,
) -> None:
    with pytest.raises(StopError, match="SSL"):
        source(mariadb_database, database__ssl__mode="trust").open()
