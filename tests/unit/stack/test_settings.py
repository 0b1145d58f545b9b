import base64
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tools.stack.accounts import ACCOUNTS, CAPTURE, ROOT, grant, modern_statements
from tools.stack.errors import StackError
from tools.stack.jvm import write_properties
from tools.stack.kafka import cluster_id
from tools.stack.mariadb import share_folder
from tools.stack.maven import APICURIO_POM, DEBEZIUM_POM, KAFKA_POM, REGISTRY_POM, SCRIPTING_POM

POM = {"m": "http://maven.apache.org/POM/4.0.0"}


def test_the_capture_account_has_what_debezium_documents_and_no_more() -> None:
    assert grant(CAPTURE) == (
        "GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT "
        "ON *.* TO 'capture'@'%'"
    )
    assert grant(ROOT) == "GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION"


def test_every_account_is_made_and_given_its_rights() -> None:
    statements = list(modern_statements())
    assert len(statements) == 2 * len(ACCOUNTS)
    assert not any(";" in statement or "\n" in statement for statement in statements)


def test_property_files(tmp_path: Path) -> None:
    file = tmp_path / "p"
    write_properties(file, {"a.b": 1, "c": "x=y", "d": "a\\b"})
    assert file.read_text() == "a.b=1\nc=x=y\nd=a\\\\b\n"


def test_cluster_ids_are_sixteen_bytes_and_no_command_line_option() -> None:
    identifiers = {cluster_id() for _ in range(200)}
    assert len(identifiers) == 200
    for identifier in identifiers:
        assert not identifier.startswith("-")
        assert len(base64.urlsafe_b64decode(identifier + "==")) == 16


@pytest.mark.parametrize(
    "pom", [KAFKA_POM, DEBEZIUM_POM, REGISTRY_POM, APICURIO_POM, SCRIPTING_POM]
)
def test_every_version_is_pinned(pom: Path) -> None:
    tree = ET.parse(pom)
    versions = [item.text or "" for item in tree.iterfind(".//m:dependency/m:version", POM)]
    assert len(versions) == len(tree.findall(".//m:dependency", POM))
    assert tree.find(".//m:plugin/m:version", POM) is not None
    assert not [version for version in versions if "SNAPSHOT" in version or "[" in version]


@pytest.mark.parametrize("name", ["mysql", "mariadb"])
def test_mariadb_files_are_found_where_packages_put_them(tmp_path: Path, name: str) -> None:
    with pytest.raises(StackError, match="mariadb-server-core"):
        share_folder(tmp_path)
    folder = tmp_path / "share" / name
    folder.mkdir(parents=True)
    (folder / "mysql_system_tables.sql").touch()
    assert share_folder(tmp_path) == folder
