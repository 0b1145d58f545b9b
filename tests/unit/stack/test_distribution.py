"""The wheel holds every file, and what is installed from it runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from connector import native
from tests.fixtures.image import image_files

ROOT = Path(__file__).parents[3]
PACKAGES = ("connector", "restapi", "sparksink")
_NOT_SHIPPED = ("__pycache__", "target", "*.so")
_NATIVE_SOURCES = re.compile(r"connector/native/(src|target|Cargo|build\.rs|.*\.so)")
URLS = {"Homepage": "https://cdc.example", "Source": "https://git.example/millrace?a=b"}
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what .dockerignore lets into the build of the image."""
    source = tmp_path_factory.mktemp("source")
    for name in image_files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, source / name, ignore=shutil.ignore_patterns(*_NOT_SHIPPED)
            )
        else:
            shutil.copy(ROOT / name, source / name)
    return source


def build(source: Path, wheels: Path, **settings: str) -> Path:
    """Build the wheel as the image does."""
    options = ("--quiet", "--no-deps", "--no-build-isolation", f"--wheel-dir={wheels}")
    environment = {**os.environ, **settings}
    command: list[str | Path] = [sys.executable, "-m", "pip", "wheel", *options, source]
    subprocess.run(command, check=True, env=environment)
    [built] = wheels.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    addresses = ",".join(f"{label}={url}" for label, url in URLS.items())
    settings = {"MILLRACE_NATIVE": "0", "MILLRACE_URLS": addresses}
    return build(source, tmp_path_factory.mktemp("wheels"), **settings)


def install(wheel: Path, environment: Path) -> Path:
    """Install a wheel in a new environment, which borrows the dependencies of this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "--quiet"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True)
    [site] = environment.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin"


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("installed"))


def output(*command: str | Path, cwd: Path) -> str:
    settings = {name: value for name, value in os.environ.items() if name != "MILLRACE_NATIVE"}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=cwd, env=settings
    )
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


@pytest.mark.skipif(
    not native.AVAILABLE or not shutil.which("cargo"), reason="the native core is not built here"
)
def test_a_wheel_that_cargo_can_build_has_the_native_core(source: Path, tmp_path: Path) -> None:
    libraries = str(Path(sys.prefix) / "target")  # those of `make setup`, which are built
    wheel = build(source, tmp_path / "wheels", CARGO_TARGET_DIR=libraries, MILLRACE_NATIVE="1")
    tag = sysconfig.get_platform().replace("-", "_")
    assert wheel.name == f"millrace_cdc-{VERSION}-cp311-abi3-{tag}.whl"
    programs = install(wheel, tmp_path / "installed")
    code = "from connector import native; print(native.__file__, native.AVAILABLE)"
    found = output(programs / "python", "-c", code, cwd=programs).split()
    assert found[0].startswith(str(programs.parent))
    assert found[1] == "True"


def test_a_wheel_without_the_native_core_is_for_all_platforms(
    source: Path, tmp_path: Path, programs: Path
) -> None:
    """A cargo that fails, as without the network, is as good as none."""
    cargo = tmp_path / "bin" / "cargo"
    cargo.parent.mkdir()
    cargo.write_text("#!/bin/sh\nexit 101\n")
    cargo.chmod(0o755)
    path = f"{cargo.parent}{os.pathsep}{os.environ['PATH']}"
    wheel = build(source, tmp_path / "wheels", PATH=path, MILLRACE_NATIVE="1")
    assert wheel.name == f"millrace_cdc-{VERSION}-py3-none-any.whl"
    code = "from connector import native; print(native.AVAILABLE)"
    assert output(programs / "python", "-c", code, cwd=programs) == "False\n"


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


def test_project_urls_are_those_of_the_publisher(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        [name] = (one for one in files.namelist() if one.endswith(".dist-info/METADATA"))
        lines = files.read(name).decode().splitlines()
    found = {one.removeprefix("Project-URL: ") for one in lines if one.startswith("Project-URL")}
    assert found == {f"{label}, {url}" for label, url in URLS.items()}
