"""References to secrets in values."""

from __future__ import annotations

from pathlib import Path

import pytest

from connector.errors import ConfigError
from connector.worker.config_providers import Providers, create_providers

KAFKA = "org.apache.kafka.common.config.provider."


def providers(name: str, java: str, params: dict[str, str], **environment: str) -> Providers:
    worker = {"config.providers": name, f"config.providers.{name}.class": KAFKA + java}
    worker |= {f"config.providers.{name}.param.{key}": text for key, text in params.items()}
    return create_providers(worker, environment)


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    file = tmp_path / "secrets.properties"
    file.write_text("user=alice\npassword=s3cret\n")
    return file


def resolve(found: Providers, text: str) -> str:
    return found.resolve({"key": text})["key"]


def test_a_file(secrets: Path) -> None:
    found = providers("file", "FileConfigProvider", {})
    assert resolve(found, f"${{file:{secrets}:password}}") == "s3cret"
    text = f"u=${{file:{secrets}:user}} p=${{file:{secrets}:password}}"
    assert resolve(found, text) == "u=alice p=s3cret"


def test_an_unresolved_reference_stays_as_it_is(secrets: Path) -> None:
    found = providers("file", "FileConfigProvider", {})
    for text in (
        f"${{file:{secrets}:nope}}",
        "${other:x:y}",
        "${topic}",
        "${file:key}",
        "$file:a:b",
    ):
        assert resolve(found, text) == text


def test_values_are_not_resolved_again(tmp_path: Path) -> None:
    file = tmp_path / "s.properties"
    file.write_text("a=${env:HOME}\n")
    found = providers("file", "FileConfigProvider", {})
    assert resolve(found, f"${{file:{file}:a}}") == "${env:HOME}"


def test_a_file_outside_of_the_allowed_paths_is_not_read(secrets: Path, tmp_path: Path) -> None:
    inside, outside = str(tmp_path), str(tmp_path / "elsewhere")
    reference = f"${{file:{secrets}:user}}"
    assert (
        resolve(providers("file", "FileConfigProvider", {"allowed.paths": inside}), reference)
        == "alice"
    )
    denied = providers("file", "FileConfigProvider", {"allowed.paths": outside})
    assert resolve(denied, reference) == reference
    (tmp_path / "elsewhere").mkdir()
    climbing = f"${{file:{outside}/../secrets.properties:user}}"
    assert resolve(denied, climbing) == climbing


def test_an_unreadable_file_is_named_without_its_content(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"Could not read properties from file .*nope"):
        resolve(providers("file", "FileConfigProvider", {}), f"${{file:{tmp_path}/nope:a}}")


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("s3cret\n")
    found = providers("dir", "DirectoryConfigProvider", {})
    assert resolve(found, f"${{dir:{tmp_path}:password}}") == "s3cret\n"
    for text in (f"${{dir:{tmp_path}:nope}}", f"${{dir:{tmp_path}:../x}}", f"${{dir:{tmp_path}:}}"):
        assert resolve(found, text) == text


def test_the_line_ends_of_a_file_in_a_directory_are_kept(tmp_path: Path) -> None:
    (tmp_path / "password").write_bytes("a\r\nö\r".encode())
    found = providers("dir", "DirectoryConfigProvider", {})
    assert resolve(found, f"${{dir:{tmp_path}:password}}") == "a\r\nö\r"


def test_the_environment() -> None:
    found = providers("env", "EnvVarConfigProvider", {}, PASSWORD="s3cret")
    assert resolve(found, "${env:PASSWORD}") == "s3cret"
    assert resolve(found, "${env:NOPE}") == "${env:NOPE}"
    with pytest.raises(ConfigError, match="Path is not supported for EnvVarConfigProvider"):
        resolve(found, "${env:path:PASSWORD}")


def test_the_environment_behind_a_pattern() -> None:
    params = {"allowlist.pattern": "DB_.*"}
    found = providers("env", "EnvVarConfigProvider", params, DB_USER="alice", HOME="/h")
    assert resolve(found, "${env:DB_USER}${env:HOME}") == "alice${env:HOME}"


def test_null_values_are_left_out() -> None:
    assert Providers().resolve({"a": None, "b": "x"}) == {"b": "x"}


@pytest.mark.parametrize("java", ["", "com.example.VaultConfigProvider"])
def test_a_class_that_is_not_here_is_refused(java: str) -> None:
    worker = {"config.providers": "vault", "config.providers.vault.class": java}
    with pytest.raises(ConfigError, match=r"config\.providers\.vault\.class.*not available"):
        create_providers(worker, {})


def test_a_bad_pattern_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"allowlist\.pattern"):
        providers("env", "EnvVarConfigProvider", {"allowlist.pattern": "["})


def test_resolved_values_are_redacted() -> None:
    found = providers("env", "EnvVarConfigProvider", {}, USER="debezium", KEY="s3cret", ON="on")
    found.resolve({"user": "${env:USER}", "topic": "history-${env:KEY}", "flag": "${env:ON}"})
    text = "io.debezium.connector: 'debezium'@'%' cannot read history-s3cret, only xs3crety on."
    assert found.redact(text) == (
        "io.debezium.connector: '${env:USER}'@'%' cannot read history-${env:KEY}, only "
        "x${env:KEY}y on."
    )
