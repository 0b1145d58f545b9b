"""The plugin path of Kafka Connect: Debezium's connectors, and what their classes load.

CloudEventsConverter makes Apicurio's AvroConverter with its own class loader, and scripts find the
engine of their language with that of the connector: so these jars lie in the connector's folder.
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.stack.child import run
from tools.stack.folders import once
from tools.stack.maven import (
    apicurio_converters,
    debezium_connectors,
    kafka_libraries,
    scripting_engines,
)
from tools.stack.programs import find_program

_SOURCE: Final = Path(__file__).with_name("JsonAndAvroConverter.java")
_SERVICES: Final = "META-INF/services/org.apache.kafka.connect.storage.Converter"
_CONVERTERS: Final = (
    "io.apicurio.registry.utils.converter.AvroConverter",
    "io.apicurio.registry.utils.converter.ExtJsonConverter",
    "millrace.oracle.JsonAndAvroConverter",
)


def connect_plugins(downloads: Path) -> Path:
    """Return a plugin path of Kafka Connect: one folder a Debezium connector."""
    connectors = debezium_connectors(downloads)
    converters = apicurio_converters(downloads)
    scripting = scripting_engines(downloads)
    kafka = kafka_libraries(downloads)

    def build(folder: Path) -> None:
        shutil.copytree(connectors, folder, copy_function=_link, dirs_exist_ok=True)
        mysql = folder / "debezium-connector-mysql"
        for jars in (converters, scripting):
            shutil.copytree(jars, mysql, copy_function=_link, dirs_exist_ok=True)
        _build_converters(mysql / "oracle-converters.jar", [converters, kafka], downloads)

    digest = hashlib.sha256(_SOURCE.read_bytes() + Path(__file__).read_bytes())
    for part in (connectors, converters, scripting, kafka):
        digest.update(part.name.encode())
    return once(downloads / f"plugins-{digest.hexdigest()[:10]}", "the oracle's plugins", build)


def _link(source: str, target: str) -> None:
    Path(target).unlink(missing_ok=True)
    Path(target).hardlink_to(source)


def _build_converters(jar: Path, libraries: list[Path], downloads: Path) -> None:
    """Compile the oracle's own converter; Apicurio's archive does not list its converters."""
    with TemporaryDirectory(dir=downloads) as folder, zipfile.ZipFile(jar, "w") as file:
        path = ":".join(f"{library}/*" for library in libraries)
        command = [find_program("javac"), "-cp", path, "-d", folder, str(_SOURCE)]
        run(command, downloads / "javac.log")
        for compiled in Path(folder).rglob("*.class"):
            file.write(compiled, compiled.relative_to(folder))
        file.writestr(_SERVICES, "\n".join(_CONVERTERS))
