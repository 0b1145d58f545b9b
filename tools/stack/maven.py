"""Jars from Maven, as pinned by the pom files beside this module."""

from __future__ import annotations

import hashlib
import zipfile
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
_CONVERTER: Final = "org.apache.kafka.connect.storage.Converter"
_APICURIO_CONVERTERS: Final = (
    "io.apicurio.registry.utils.converter.AvroConverter",
    "io.apicurio.registry.utils.converter.ExtJsonConverter",
)


def kafka_libraries(downloads: Path) -> Path:
    """Return the folder with the jars of the Kafka broker and Kafka Connect."""
    java()

    def build(folder: Path) -> None:
        _copy_dependencies(KAFKA_POM, folder, downloads)

    return once(_target(downloads, KAFKA_POM), "Kafka and Kafka Connect (55 MB, Maven)", build)


def debezium_plugins(downloads: Path) -> Path:
    """Return a plugin path of Kafka Connect: one folder a Debezium connector."""
    return _archives(downloads, DEBEZIUM_POM, "Debezium connectors (55 MB, Maven)")


def registry_program(downloads: Path) -> Path:
    """Return the folder with the program of the schema registry."""
    return _archives(downloads, REGISTRY_POM, "Apicurio Registry (150 MB, Maven)")


def apicurio_converters(downloads: Path) -> Path:
    """Return a plugin path of Kafka Connect with Apicurio's converters."""

    def build(folder: Path) -> None:
        plugin = folder / "apicurio"
        _copy_dependencies(APICURIO_POM, plugin, downloads)
        # The archive does not list its converters, so that Kafka Connect would not find them.
        with zipfile.ZipFile(plugin / "services.jar", "w") as jar:
            jar.writestr(f"META-INF/services/{_CONVERTER}", "\n".join(_APICURIO_CONVERTERS))

    return once(_target(downloads, APICURIO_POM), "Apicurio's converters (30 MB, Maven)", build)


def _archives(downloads: Path, pom: Path, what: str) -> Path:
    """Return the folder with the content of the archives that a pom file names."""

    def build(folder: Path) -> None:
        with TemporaryDirectory(dir=downloads) as archives:
            _copy_dependencies(pom, Path(archives), downloads)
            for archive in sorted(Path(archives).glob("*.tar.gz")):
                unpack(archive, folder, downloads / "maven.log")

    return once(_target(downloads, pom), what, build)


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
