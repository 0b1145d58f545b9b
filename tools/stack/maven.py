"""Jars from Maven, as pinned by the pom files beside this module."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.stack.archives import unpack
from tools.stack.child import run
from tools.stack.folders import locked, once
from tools.stack.programs import find_program, java

_HERE: Final = Path(__file__).parent
KAFKA_POM: Final = _HERE / "kafka.pom.xml"
DEBEZIUM_POM: Final = _HERE / "debezium.pom.xml"
REGISTRY_POM: Final = _HERE / "registry.pom.xml"
APICURIO_POM: Final = _HERE / "apicurio.pom.xml"
SCRIPTING_POM: Final = _HERE / "scripting.pom.xml"


def kafka_libraries(downloads: Path) -> Path:
    """Return the folder with the jars of the Kafka broker and Kafka Connect."""
    java()

    return jars(downloads, KAFKA_POM, "Kafka and Kafka Connect (55 MB, Maven)")


def debezium_connectors(downloads: Path) -> Path:
    """Return a folder with one folder a Debezium connector."""
    return _archives(downloads, DEBEZIUM_POM, "Debezium connectors (55 MB, Maven)")


def registry_program(downloads: Path) -> Path:
    """Return the folder with the program of the schema registry."""
    return _archives(downloads, REGISTRY_POM, "Apicurio Registry (150 MB, Maven)")


def apicurio_converters(downloads: Path) -> Path:
    """Return the folder with the jars of Apicurio's converters for Kafka Connect."""
    return jars(downloads, APICURIO_POM, "Apicurio's converters (10 MB, Maven)")


def scripting_engines(downloads: Path) -> Path:
    """Return the folder with the jars of Debezium's transforms that run scripts."""
    return jars(downloads, SCRIPTING_POM, "Debezium's scripting, Groovy, Graal.js (65 MB, Maven)")


def jars(downloads: Path, pom: Path, what: str) -> Path:
    """Return the folder with the jars that a pom file names."""
    return once(_target(downloads, pom), what, partial(_copy_dependencies, pom, downloads))


def _archives(downloads: Path, pom: Path, what: str) -> Path:
    """Return the folder with the content of the archives that a pom file names."""

    def build(folder: Path) -> None:
        with TemporaryDirectory(dir=downloads) as archives:
            _copy_dependencies(pom, downloads, Path(archives))
            for archive in sorted(Path(archives).glob("*.tar.gz")):
                unpack(archive, folder, downloads / "maven.log")

    return once(_target(downloads, pom), what, build)


def _target(downloads: Path, pom: Path) -> Path:
    """Return a folder that is another one as soon as the pom file changes."""
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:10]
    return downloads / f"{pom.name.partition('.')[0]}-{digest}"


def _copy_dependencies(pom: Path, downloads: Path, folder: Path) -> None:
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
