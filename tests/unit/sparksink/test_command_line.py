"""What the command line says where something is missing, and the commands that need nothing."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sparksink.errors import SinkError
from sparksink.jars import folder
from sparksink.java import check_java
from tests.fixtures.worker import ROOT

HIDE = "import sys; sys.modules['{module}'] = None; sys.argv = ['sparksink', *{words!r}];"
START = "from sparksink.entry import start; sys.exit(start(own_session=True))"


def sparksink(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as users do; its Maven and Java are found on a path that has neither."""
    return subprocess.run(
        [sys.executable, "-m", "sparksink", *words],
        check=False, capture_output=True, text=True, cwd=ROOT, timeout=60,
        env={"PATH": "/nowhere", "HOME": os.environ.get("HOME", "/"), **environment},
    )  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> str:
    file = tmp_path / "sink.yaml"
    file.write_text(
        "name: s\nsource: {kind: file, path: p, topics: t}\ncheckpoint: /c\ntarget: {path: /t}\n"
    )
    return str(file)


@pytest.mark.parametrize(
    ("module", "words"), [("yaml", ["status"]), ("pyspark", ["run"]), ("pydantic", ["--help"])]
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    config: str, module: str, words: list[str]
) -> None:
    code = HIDE.format(module=module, words=[*words, "--config", config]) + START
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True,
                          text=True, cwd=ROOT, timeout=60)  # fmt: skip
    package = {"yaml": "pyyaml"}.get(module, module)
    assert done.returncode == 1
    assert done.stderr == (
        f"The Python package {package} is not installed. Run: pip install 'millrace-cdc[sink]'\n"
    )


def test_without_java_a_command_says_so(config: str) -> None:
    pytest.importorskip("pyspark")
    done = sparksink("status", "--config", config)
    assert done.returncode == 1
    assert "Spark needs Java, which is not on the PATH. Install Java 17" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("answer", "error"),
    [('openjdk version "1.8.0_392"', "is Java 8, which is too old"), ('java version "17.0.1"', "")],
)
def test_an_old_java_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, error: str
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{answer}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if error:
        with pytest.raises(SinkError, match=error):
            check_java()
    else:
        check_java()
    java.unlink()
    with pytest.raises(SinkError, match=r"cannot be run: No such file.* Install Java 17"):
        check_java()


def test_help_fetches_nothing(tmp_path: Path) -> None:
    done = sparksink("jars", "--help", XDG_CACHE_HOME=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: sparksink jars" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_jars_lie_in_the_cache_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = sparksink("jars", XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 1
    assert "Maven, which downloads the jars, is not installed." in done.stderr
    assert "Traceback" not in done.stderr
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder().parent == tmp_path / "millrace" / "jars"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert folder().is_relative_to(Path.home() / ".cache")
    folder_here = tmp_path / "here"
    folder_here.mkdir()
    (folder_here / "a.jar").touch()
    assert sparksink("jars", str(folder_here)).stdout == f"{folder_here}/a.jar\n"


def test_the_job_and_its_package_are_for_spark_submit(tmp_path: Path) -> None:
    path = sparksink("path").stdout.strip()
    assert Path(path).name == "job.py"
    assert Path(path).exists()
    archive = tmp_path / "new" / "sink.zip"
    assert sparksink("zip", str(archive)).stdout == f"{archive}\n"
    names = zipfile.ZipFile(archive).namelist()
    assert {"sparksink/__init__.py", "sparksink/job.py", "sparksink/pom.xml"} <= {*names}


def test_a_setting_of_spark_is_a_key_and_a_value(config: str) -> None:
    done = sparksink("status", "--config", config, "--spark", "local")
    assert done.returncode == 2
    assert "argument --spark: write KEY=VALUE" in done.stderr
