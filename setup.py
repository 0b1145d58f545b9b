"""Builds the native row core into a wheel, where cargo can; the rest stands in pyproject.toml."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

CORE = Path("connector/native")
SOURCES = [CORE / "Cargo.toml", CORE / "Cargo.lock", CORE / "build.rs", *CORE.glob("src/*.rs")]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "build/native"))


def build_core() -> bool:
    """Build the core; return whether it is there. Without it Python reads the rows."""
    if os.environ.get("MILLRACE_NATIVE") == "0":
        reason = "MILLRACE_NATIVE=0"
    elif shutil.which("cargo") is None:
        reason = "there is no cargo"
    else:
        options = ("--release", "--locked", f"--manifest-path={CORE / 'Cargo.toml'}")
        cargo = ["cargo", "build", *options, f"--target-dir={TARGET}"]
        if subprocess.run(cargo, check=False).returncode == 0:  # noqa: S603 - no input in it
            return True
        reason = "cargo could not build it; Rust 1.82 or newer is needed"
    print(f"The wheel has no native row core: {reason}.")  # noqa: T201 - pip shows it with -v
    return False


class Wheel(bdist_wheel):
    """A wheel for one platform with the core, or for all of them without it."""

    def run(self) -> None:
        """Build the core first: what the wheel is called depends on it."""
        if not build_core():
            self.distribution.ext_modules = []
            self.root_is_pure = True
        super().run()


class Core(build_ext):
    """Puts the core that cargo has built into the wheel.

    An editable installation gets it from `make setup`, after each change of its sources.
    """

    def build_extension(self, ext: Extension) -> None:
        """Copy the library to where the extension belongs."""
        if not self.editable_mode:
            target = Path(self.get_ext_fullpath(ext.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(TARGET / "release" / "lib_native.so", target)


def project_urls() -> dict[str, str]:
    """Return the project URLs of ``MILLRACE_URLS``, as in ``Source=https://…,…``."""
    pairs = (one.partition("=") for one in os.environ.get("MILLRACE_URLS", "").split(",") if one)
    return {label.strip(): url.strip() for label, _, url in pairs}


CORE_EXTENSION = Extension(
    "connector.native._native",
    [str(path) for path in SOURCES],  # for an sdist
    optional=True,
    py_limited_api=True,
)
setup(
    ext_modules=[CORE_EXTENSION],
    project_urls=project_urls(),
    options={"bdist_wheel": {"py_limited_api": "cp311"}},  # abi3-py311 in Cargo.toml
    cmdclass={"bdist_wheel": Wheel, "build_ext": Core},
)
