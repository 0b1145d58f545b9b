"""The wheel holds every file, and what is installed from it runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.fixtures.image import image_files

ROOT = Path(__file__).parents[3]
PACKAGES = ("connector", "restapi", "sparksink")
_NOT_SHIPPED = ("__pycache__", "target", "*.so")
_NATIVE_SOURCES = re.compile(r"connector/native/(src|target|Cargo|build\.rs|.*\.so)")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as the image does: from what .dockerignore lets in."""
    source = tmp_path_factory.mktemp("source")
    for name in image_files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, source / name, ignore=shutil.ignore_patterns(*_NOT_SHIPPED)
            )
        else:
            shutil.copy(ROOT / name, source / name)
    wheels = tmp_path_factory.mktemp("wheels")
    options = ("--quiet", "--no-deps", "--no-build-isolation", f"--wheel-dir={wheels}")
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, source], check=True)
    [built] = wheels.iterdir()
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel in a new environment, which borrows the dependencies of this one."""
    environment = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "--quiet"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True)
    [site] = environment.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin"


def output(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_the_name_of_the_distribution(wheel: Path) -> None:
    assert wheel.name == f"millrace_cdc-{VERSION}-py3-none-any.whl"


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    files = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.is_file()
        and "__pycache__" not in file.parts
        and not _NATIVE_SOURCES.search(str(file.relative_to(ROOT)))
    }
    assert {f"{package}/py.typed" for package in PACKAGES} <= files
    with zipfile.ZipFile(wheel) as archive:
        installed = {name for name in archive.namelist() if name.partition("/")[0] in PACKAGES}
    assert installed == files


@pytest.mark.parametrize("program", ["millrace", "millrace-sink"])
def test_the_installed_programs_name_their_version(programs: Path, program: str) -> None:
    pytest.importorskip("pyspark")
    assert output(programs / program, "--version", cwd=programs) == f"{program} {VERSION}\n"
    assert "usage: " in output(programs / program, "--help", cwd=programs)


def test_the_installed_plugins_find_their_data_files(programs: Path) -> None:
    code = (
        "import connector; from connector.plugin_table import PluginTable; "
        "from connector.kafka.errors import error_codes; "
        "print(connector.__file__, len(error_codes()) > 0, "
        "'snapshot.mode' in PluginTable().connector('MySql').config_def)"
    )
    found = output(programs / "python", "-c", code, cwd=programs).split()
    assert found[0].startswith(str(programs.parent))
    assert found[1:] == ["True", "True"]
