"""Jars from Maven, as pinned by the pom files beside this module."""

from __future__ import annotations

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from deploy.stack.archives import unpack
from deploy.stack.child import run
from deploy.stack.folders import locked, once
from deploy.stack.programs import find_program, java

_HERE: Final = Path(__file__).parent
KAFKA_POM: Final = _HERE / "kafka.pom.xml"
DEBEZIUM_POM: Final = _HERE / "debezium.pom.xml"


def kafka_libraries(downloads: Path) -> Path:
    """Return the folder with the jars of the Kafka broker and Kafka Connect."""
    java()

    def build(folder: Path) -> None:
        _copy_dependencies(KAFKA_POM, folder, downloads)

    return once(_target(downloads, KAFKA_POM), "Kafka and Kafka Connect (55 MB, Maven)", build)


def debezium_plugins(downloads: Path) -> Path:
    """Return a plugin path of Kafka Connect: one folder a Debezium connector."""

    def build(folder: Path) -> None:
        with TemporaryDirectory(dir=downloads) as archives:
            _copy_dependencies(DEBEZIUM_POM, Path(archives), downloads)
            for archive in sorted(Path(archives).glob("*.tar.gz")):
                unpack(archive, folder, downloads / "maven.log")

    return once(_target(downloads, DEBEZIUM_POM), "Debezium connectors (55 MB, Maven)", build)


def _target(downloads: Path, pom: Path) -> Path:
    """Return a folder that is another one as soon as the pom file changes."""
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:10]
    return downloads / f"{pom.name.partition('.')[0]}-{digest}"


def _copy_dependencies(pom: Path, folder: Path, downloads: Path) -> None:
    repository = downloads / "maven"
    # Maven 3 does not guard its local repository against a second Maven.
    with locked(downloads / "maven.lock", "Maven"):
        run(
            [
                find_program("mvn"),
                "--batch-mode",
                "--no-transfer-progress",
                f"--file={pom}",
                f"-Dmaven.repo.local={repository}",
                "dependency:copy-dependencies",
                f"-DoutputDirectory={folder}",
                "-DincludeScope=runtime",
            ],
            downloads / "maven.log",
        )
