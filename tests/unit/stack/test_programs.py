import pytest

from tools.stack.errors import StackError
from tools.stack.programs import find_program, installed, missing, parse_version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', (17, 0, 15)),
        ('openjdk version "21" 2023-09-19', (21,)),
        ("mysqld  Ver 8.0.45 for Linux on x86_64", (8, 0, 45)),
        ("mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu", (10, 11, 19)),
        ("no version here", None),
    ],
)
def test_the_first_version_in_a_text(text: str, version: tuple[int, ...] | None) -> None:
    assert parse_version(text) == version


def test_a_missing_program_is_named_with_its_remedy() -> None:
    assert installed("no-such-program") is None
    with pytest.raises(StackError, match=r"no-such-program is not installed\. Remedy: apt-get"):
        find_program("no-such-program")
    assert str(missing("mvn is missing", "maven")).endswith("apt-get install maven")


def test_programs_of_the_system_folders_are_found() -> None:
    assert find_program("sh").endswith("/sh")
