"""The extension is used if it was built from the sources beside it; else Python reads the rows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from connector import native

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason="the native core is not built")
PACKAGE = Path(native.__file__).parent


def test_the_extension_was_built_from_these_sources(tmp_path: Path) -> None:
    assert available(tmp_path, lambda _: None)


@pytest.mark.parametrize("name", ["src/lib.rs", "src/temporal.rs", "Cargo.toml"])
def test_an_extension_of_other_sources_is_not_used(tmp_path: Path, name: str) -> None:
    def change(package: Path) -> None:
        with (package / name).open("a") as file:
            file.write("\n")

    assert not available(tmp_path, change)


def test_a_source_that_is_new_or_gone_makes_others(tmp_path: Path) -> None:
    def add(package: Path) -> None:
        (package / "src/new.rs").write_text("//! New.\n")

    assert not available(tmp_path / "new", add)
    assert not available(tmp_path / "gone", lambda package: (package / "src/text.rs").unlink())


def test_an_installed_package_has_no_sources_to_compare(tmp_path: Path) -> None:
    def remove(package: Path) -> None:
        shutil.rmtree(package / "src")
        (package / "Cargo.toml").unlink()

    assert available(tmp_path, remove)


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"no library"])
def test_a_damaged_extension_is_not_used(tmp_path: Path, content: bytes) -> None:
    def damage(package: Path) -> None:
        (file,) = package.glob("*.so")
        file.unlink()
        file.write_bytes(content)

    assert not available(tmp_path, damage)


def test_the_extension_may_be_absent_or_switched_off(tmp_path: Path) -> None:
    assert not available(tmp_path / "off", lambda _: None, MILLRACE_NATIVE="0")
    assert not available(tmp_path / "absent", lambda package: next(package.glob("*.so")).unlink())


def available(folder: Path, change: Callable[[Path], None], **settings: str) -> bool:
    """Whether a new process uses the extension of a copy of the package that was changed."""
    package = folder / "connector" / "native"
    package.parent.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "target"))
    change(package)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); from connector import native; "
    code += f"assert native.__file__.startswith({str(folder)!r}); print(native.AVAILABLE)"
    environment = {**os.environ, **settings}
    if not settings:
        environment.pop("MILLRACE_NATIVE", None)
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, check=True, capture_output=True, text=True, env=environment)
    return done.stdout == "True\n"
