"""The native core, built with AddressSanitizer and checks of every overflow, on damaged rows.

Needs a nightly toolchain of Rust and the sanitizer's library of gcc. ``DAMAGED_EVENTS``,
``DAMAGED_PACKETS`` and ``DAMAGED_LOGS`` say how many events, result sets and logs are compared.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from connector import native

ROOT = Path(__file__).parents[3]
TARGET = f"{platform.machine()}-unknown-linux-gnu"
DAMAGED = {"DAMAGED_EVENTS": "30000", "DAMAGED_PACKETS": "30000", "DAMAGED_LOGS": "3000"}
FLAGS = "-Zsanitizer=address -Coverflow-checks=on -Cdebug-assertions=on"


def sanitizer() -> str | None:
    """Return the library of AddressSanitizer, None where it or the toolchain is absent."""
    if not native.AVAILABLE or not shutil.which("gcc") or not shutil.which("cargo"):
        return None
    command = ["gcc", "-print-file-name=libasan.so"]
    library = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    nightly = subprocess.run(["cargo", "+nightly", "--version"], capture_output=True, check=False)
    return library if Path(library).is_absolute() and nightly.returncode == 0 else None


def build() -> Path:
    """Build the core with the sanitizer; return the library."""
    folder = ROOT / ".venv" / "asan"
    command = ["cargo", "+nightly", "build", "--release", "--locked", "--target", TARGET]
    command += ["--manifest-path", str(ROOT / "connector/native/Cargo.toml")]
    environment = {**os.environ, "RUSTFLAGS": FLAGS, "PYO3_PYTHON": sys.executable}
    command += ["--target-dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return folder / TARGET / "release" / "lib_native.so"


def checkout_with(library: Path, folder: Path) -> None:
    """Lay out a checkout whose native core is that library."""
    for entry in ROOT.iterdir():
        if entry.name != "connector" and not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "connector", folder / "connector", ignore=ignored)
    shutil.copy(library, folder / "connector" / "native" / "_native.abi3.so")


def run(folder: Path, *arguments: str) -> str:
    """Run tests with the sanitizer, in a checkout that is made in the folder."""
    preload = sanitizer()
    if preload is None:
        pytest.skip("needs the native core, cargo +nightly and gcc's libasan")
    library = build()
    assert b"__asan_init" in library.read_bytes()
    checkout_with(library, folder)
    environment = {**DAMAGED, **os.environ, "LD_PRELOAD": preload, "PYTHONMALLOC": "malloc"}
    environment["ASAN_OPTIONS"] = "detect_leaks=0"  # Python's own, at its end
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-5_000:]
    return done.stdout


@pytest.mark.slow
def test_damaged_rows_overflow_nothing_and_stay_in_their_buffers(tmp_path: Path) -> None:
    kinds = ("events", "packets")
    passed = run(tmp_path, *(f"tests/unit/native/test_damaged_{kind}.py" for kind in kinds))
    assert "2 passed" in passed


@pytest.mark.slow
def test_damaged_logs_overflow_nothing_and_stay_in_their_buffers(tmp_path: Path) -> None:
    passed = run(tmp_path, "tests/unit/native/test_whole_transactions.py", "-k", "logs")
    assert "2 passed" in passed


@pytest.mark.slow
def test_the_producer_uses_no_memory_that_it_gave_back(tmp_path: Path) -> None:
    """With the brokers that librdkafka has for tests."""
    chosen = "native and not arrive and not fatal"
    passed = run(tmp_path, "tests/contract/test_clients.py", "-k", chosen)
    assert "13 passed" in passed
