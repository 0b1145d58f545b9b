from pathlib import Path

import pytest

from tools.stack.debian import archive_address, first_address, foreign_command
from tools.stack.errors import StackError

MIRROR = "http://mirror.example/debian"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (f"Types: deb\nURIs: {MIRROR}\nSuites: bookworm\n", MIRROR),
        (f"deb {MIRROR} bookworm main\n", MIRROR),
        (f"deb {MIRROR}/ bookworm main\n", MIRROR),
        (f"deb [signed-by=/a/b.gpg arch=amd64] {MIRROR} bookworm main\n", MIRROR),
        (f"# deb {MIRROR} bookworm main\n", None),
        (f"deb-src {MIRROR} bookworm main\n", None),
        ("URIs: http://mirror.example/debian-security\n", None),
        ("deb http://mirror.example/node_20.x nodistro main\n", None),
        ("", None),
    ],
)
def test_the_archive_in_a_source_list(text: str, address: str | None) -> None:
    assert first_address(["\n", text]) == address


def test_the_archive_of_a_machine(tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    with pytest.raises(StackError, match="no Debian archive"):
        archive_address(tmp_path)
    (tmp_path / "sources.list.d/debian.sources").write_text(f"URIs: {MIRROR}\n")
    assert archive_address(tmp_path) == MIRROR


@pytest.mark.parametrize("libraries", ["lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu"])
def test_an_unpacked_program_runs_with_its_own_loader(tmp_path: Path, libraries: str) -> None:
    folder = tmp_path / libraries
    folder.mkdir(parents=True)
    with pytest.raises(StackError, match="No dynamic loader"):
        foreign_command(tmp_path, "usr/sbin/mysqld")
    loader = folder / "ld-linux-any.so.2"
    loader.touch()
    assert foreign_command(tmp_path, "usr/sbin/mysqld", "private") == [
        str(loader),
        "--library-path",
        f"{folder}:{folder}/private",
        f"{tmp_path}/usr/sbin/mysqld",
    ]
