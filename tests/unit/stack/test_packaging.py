"""The files for Docker, Compose, systemd and pip agree with each other."""

import json
import re
import shutil
import subprocess
import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # it has no types of its own
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from connector.daemon import EXIT_CONFIG, EXIT_CONNECTOR
from tests.fixtures.image import image_files

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
EXAMPLES = ROOT / "config-examples"


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return found


def test_compose_has_a_database_a_broker_and_millrace(services: dict[str, Any]) -> None:
    assert services.keys() == {"mysql", "kafka", "millrace"}
    assert {"image", "build"} & services["millrace"].keys() == {"build"}
    for name in ("mysql", "kafka"):
        assert re.fullmatch(r"[a-z/]+:\d+\.\d+(\.\d+)?", services[name]["image"])


def test_compose_waits_until_the_servers_are_healthy(services: dict[str, Any]) -> None:
    assert services["millrace"]["depends_on"] == {
        "kafka": {"condition": "service_healthy"},
        "mysql": {"condition": "service_healthy"},
    }
    for name in ("mysql", "kafka"):
        assert services[name]["healthcheck"]["test"][0] == "CMD"


def test_compose_publishes_ports_to_this_machine_only(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service["ports"]]
    assert ports == ["127.0.0.1:3306:3306", "127.0.0.1:29092:29092", "127.0.0.1:8083:8083"]


def test_compose_gives_the_worker_time_to_stop_and_no_more_rights_than_it_needs(
    services: dict[str, Any],
) -> None:
    worker = services["millrace"]
    assert worker["stop_grace_period"] == "15s"
    assert worker["read_only"] is True
    assert worker["cap_drop"] == ["ALL"]


def test_compose_writes_whole_rows_to_the_binlog(services: dict[str, Any]) -> None:
    command = services["mysql"]["command"]
    assert {"--binlog-format=ROW", "--binlog-row-image=FULL"} <= set(command)


def test_compose_names_only_what_exists(services: dict[str, Any]) -> None:
    text = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    build = services["millrace"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    for service in services.values():
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert source in text["volumes"] or (DEPLOY / source).is_file()
        for config in service.get("configs", []):
            assert config["source"] in text["configs"]


def test_the_worker_of_the_image_meets_the_broker_and_the_published_port(
    services: dict[str, Any],
) -> None:
    settings = properties(DEPLOY / "worker.properties")
    assert (
        settings["bootstrap.servers"]
        in services["kafka"]["environment"]["KAFKA_ADVERTISED_LISTENERS"]
    )
    assert settings["listeners"].endswith(":8083")


def test_the_image_gets_every_file_that_it_copies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["setuptools"]["packages"]["find"]["include"]
    assert {package.rstrip("*") for package in packages} <= image_files()
    assert {project["project"]["readme"], *project["project"]["license-files"]} <= image_files()
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    copied = re.findall(r"^COPY ([^-.]\S*) ", dockerfile, re.MULTILINE)
    assert copied == ["requirements.lock", "deploy/worker.properties"]
    assert set(copied) <= image_files()


def test_the_image_is_not_built_without_the_native_core() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    stage = lines[: max(n for n, line in enumerate(lines) if line.startswith("FROM"))]
    assert any("apt-get install" in line and "cargo" in line.split() for line in stage)
    assert any(line.endswith("assert native.AVAILABLE'") for line in stage)
    assert "setup.py" in image_files()


def test_the_image_does_not_run_as_root_and_starts_the_worker() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    final = lines[max(n for n, line in enumerate(lines) if line.startswith("FROM")) :]
    assert "USER 10001:10001" in final
    assert 'ENTRYPOINT ["millrace"]' in final
    assert 'CMD ["/etc/millrace/worker.properties"]' in final
    assert any("/health" in line for line in final)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "millrace.service").read_text()
    installed = text.replace("/opt/millrace/bin/millrace", str(shutil.which("true")))
    unit = tmp_path / "millrace.service"
    unit.write_text(installed)
    answer = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")


def test_the_unit_restarts_on_failure_and_ends_in_time() -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "millrace.service")
    service = unit["Service"]
    assert service["Restart"] == "on-failure"
    assert service["User"] == "millrace"
    assert service["KillSignal"] == "SIGTERM"
    assert service["TimeoutStopSec"] == "15"
    codes = {str(code) for code in (EXIT_CONFIG, EXIT_CONNECTOR)}
    assert set(service["RestartPreventExitStatus"].split()) == codes


def test_the_lock_files_hold_every_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    daemon = pins("requirements.lock")
    dev = daemon | pins("requirements-dev.lock")
    sink = daemon | pins("requirements-spark.lock")
    assert_pinned(project["project"]["dependencies"], daemon)
    assert_pinned([*extras["dev"], *project["build-system"]["requires"]], dev)
    assert_pinned(extras["sink"], sink)
    assert_pinned(extras["readers"], dev | sink | pins("requirements-readers.lock"))
    assert dev | sink == sink | dev, "the locks pin different versions of one package"


def assert_pinned(requirements: list[str], locked: dict[str, str]) -> None:
    for requirement in map(Requirement, requirements):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)])


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith(("#", "-r "))]
    return {canonicalize_name(package): version for package, version in pairs}


@pytest.mark.parametrize("name", ["worker.properties", "worker-standalone.properties"])
def test_example_workers_listen_on_this_machine_only(name: str) -> None:
    settings = properties(EXAMPLES / name)
    assert settings["listeners"] == "http://127.0.0.1:8083"
    assert settings["key.converter"] == settings["value.converter"]


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_every_key_of_an_example_is_explained(kind: str) -> None:
    connector = json.loads((EXAMPLES / f"{kind}-source.json").read_text())
    assert connector.keys() == {"name", "config"}
    explained = re.findall(r"`([a-z.]+)`", (EXAMPLES / "README.md").read_text())
    assert connector["config"].keys() <= set(explained)
    assert all(isinstance(value, str) for value in connector["config"].values())


def properties(file: Path) -> dict[str, str]:
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)
