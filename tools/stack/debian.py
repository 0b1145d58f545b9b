"""Debian packages unpacked into a folder: nothing is installed, no root is needed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tools.stack.child import run
from tools.stack.errors import StackError
from tools.stack.folders import once
from tools.stack.programs import find_program

KEYRING: Final = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_SOURCES: Final = Path("/etc/apt")


def unpack_package(downloads: Path, package: str, suite: str) -> Path:
    """Return a folder with a package of a Debian suite and all that it depends on.

    ``apt-get`` runs with lists and a package state of its own, so it finds nothing installed
    and takes everything down to the C library; see `foreign_command`.
    """

    def build(folder: Path) -> None:
        apt = _apt(folder / "apt", suite)
        log = downloads / f"{package}.log"
        run([*apt, "update"], log)
        run([*apt, "--yes", "--download-only", "--no-install-recommends", "install", package], log)
        for archive in (folder / "apt/cache/archives").glob("*.deb"):
            if "perl" not in archive.name:  # only for scripts that are not run here
                run([find_program("dpkg-deb"), "-x", archive, folder], log)
        shutil.rmtree(folder / "apt")

    return once(downloads / f"{package}-{suite}", f"{package} (Debian {suite})", build)


def foreign_command(root: Path, program: str, *private: str) -> list[str]:
    """Return the command for a program below ``root`` that runs with the libraries there.

    They may be newer than the system's, so the dynamic loader of ``root`` is called by name.
    ``private`` are folders of further libraries, relative to where the others lie.
    """
    folders = [*root.glob("lib/*-linux-gnu"), *root.glob("usr/lib/*-linux-gnu")]
    loaders = (loader for folder in folders for loader in folder.glob("ld-linux-*.so.*"))
    loader = next(loaders, None)
    if loader is None:
        raise StackError(f"No dynamic loader below {root}. Remedy: delete this folder, try again.")
    searched = [*folders, *(folder / name for folder in folders for name in private)]
    return [str(loader), "--library-path", ":".join(map(str, searched)), str(root / program)]


def archive_address(configuration: Path = _SOURCES) -> str:
    """Return the address of the Debian archive that this machine is set up for.

    :raises StackError: when apt knows none.
    """
    files = [configuration / "sources.list", *sorted((configuration / "sources.list.d").glob("*"))]
    found = first_address(file.read_text() for file in files if file.is_file())
    if found is None:
        raise StackError(
            f"apt has no Debian archive in {configuration}: the server packages come from there. "
            "Remedy: install the database server by hand, so that it is found on the path."
        )
    return found


def first_address(texts: Iterable[str]) -> str | None:
    """Return the first archive address in source lists of either format, security left out."""
    for text in texts:
        for line in text.splitlines():
            found = re.match(r"(?:URIs:|deb\s+(?:\[.*?\])?)\s*(\S+/debian)/?(?:\s|$)", line)
            if found:
                return found[1]
    return None


def _apt(folder: Path, suite: str) -> list[str]:
    for name in ("sources", "lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources/stack.sources").write_text(
        f"Types: deb\nURIs: {archive_address()}\nSuites: {suite}\nComponents: main\n"
        f"Signed-By: {KEYRING}\n"
    )
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": folder / "sources",
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "Debug::NoLocking": 1,
        "Acquire::Languages": "none",
        # A mirror that lags behind will do: what it has is still signed.
        "Acquire::Check-Valid-Until": "false",
        "APT::Sandbox::User": "root",
    }
    pairs = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    return [find_program("apt-get"), "--quiet", *pairs]
