"""The example of the page on extensions: an installed package with entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from connector.capture.change import Change, HeartbeatDue, Notice, Progress
from connector.capture.custom_snapshots import (
    custom_faults,
    custom_lock,
    custom_mode,
    custom_query,
)
from connector.capture.signals.custom import CustomActions, InstalledChannel, channel_faults
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import Signal
from connector.errors import ConfigError
from connector.mysql.config_keys import config_def
from tests.fixtures.example_package import install_example
from tests.unit.capture.incremental.simulated import At

PAGE = Path(__file__).parents[3] / "docs" / "extensions.md"
CONFIG = {
    "snapshot.mode": "Custom",
    "snapshot.mode.custom.name": "nightly",
    "snapshot.query.mode": "custom",
    "snapshot.query.mode.custom.name": "recent",
    "recent.condition": "id > 2",
    "snapshot.locking.mode": "custom",
    "snapshot.locking.mode.custom.name": "readers",
}


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the package of the page; return the folder of its files."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.delitem(sys.modules, install_example(PAGE, site), raising=False)
    monkeypatch.syspath_prepend(site)
    return tmp_path


def test_a_mode_decides_by_what_is_stored() -> None:
    mode_of = custom_mode(CONFIG | {"nightly.stream": "false"})
    assert mode_of is not None
    first, further = mode_of(False, False), mode_of(True, False)
    assert (first.schema, first.data, first.stream) == (True, True, False)
    assert (further.schema, further.data, further.always) == (False, False, True)
    assert (first.on_lost_history, first.on_lost_position) == (True, False)
    assert mode_of(True, True).data


def test_a_query_and_a_lock_write_statements() -> None:
    query, lock = custom_query(CONFIG), custom_lock(CONFIG)
    assert query is not None
    assert lock is not None
    assert query.select("d.t", ["`a`", "`b`"]) == "SELECT `a`, `b` FROM d.t WHERE id > 2"
    assert query.select("d.t_test", ["`a`"]) is None
    assert lock.lock(10.0, ["`d`.`t`"]) == "LOCK TABLES `d`.`t` READ"


def test_without_custom_nothing_is_built() -> None:
    config = CONFIG | {
        "snapshot.mode": "initial",
        "snapshot.query.mode": "select_all",
        "snapshot.locking.mode": "none",
    }
    assert [custom_mode(config), custom_query(config), custom_lock(config)] == [None] * 3
    assert custom_faults(config) == {}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"snapshot.mode.custom.name": ""}, "A value is required"),
        (
            {"snapshot.mode.custom.name": "daily"},
            "entry point of the group millrace.snapshot_modes, where there are: nightly",
        ),
    ],
)
def test_a_mode_that_is_not_installed_is_refused(change: dict[str, str], fault: str) -> None:
    found = custom_faults(CONFIG | change)
    assert list(found) == ["snapshot.mode.custom.name"]
    assert fault in found["snapshot.mode.custom.name"]
    with pytest.raises(ConfigError):
        custom_mode(CONFIG | change)


def test_an_exception_of_a_constructor_refuses_the_configuration() -> None:
    config = {key: text for key, text in CONFIG.items() if key != "recent.condition"}
    assert (
        "it cannot be built: KeyError" in custom_faults(config)["snapshot.query.mode.custom.name"]
    )


def signals(package: Path) -> Signals:
    (package / "requests").mkdir()
    config = {"note.file": str(package / "note"), "folder.path": str(package / "requests")}
    channel = InstalledChannel("folder", config)
    return Signals(SignalOptions(interval=0), [channel], custom=CustomActions(config))


def woven(made: Signals) -> list[Change]:
    steps: Iterator[Change] = iter([Progress(At(1)), HeartbeatDue()])
    return list(made.weave(steps))


def test_a_channel_brings_signals(package: Path) -> None:
    made = signals(package)
    (package / "requests" / "d.t").touch()
    woven(made)
    assert made.blocking is not None
    assert (made.blocking.signal.id, made.blocking.tables.tables) == ("d.t", ("d.t",))
    made.close()


def test_a_channel_that_fails_is_reported_and_read_again(package: Path) -> None:
    made = signals(package)
    (package / "requests").rmdir()
    faults = [one.text for one in woven(made) if isinstance(one, Notice)]
    assert len(faults) == 1
    assert faults[0].startswith("channel folder: FileNotFoundError: ")
    (package / "requests").mkdir()
    assert [one.text for one in woven(made) if isinstance(one, Notice)] == [""]


def test_an_action_runs_the_signals_of_its_type(package: Path) -> None:
    actions = CustomActions({"note.file": str(package / "note")})
    assert actions.has("note")
    assert not actions.has("log")
    assert list(actions.run(Signal("1", "note", {"text": "hello"}))) == [Notice("", "signals note")]
    assert (package / "note").read_text() == "hello"


@pytest.mark.parametrize(
    ("config", "fault"),
    [({"note.file": "/"}, "KeyError: 'text'"), ({}, "it cannot be built: KeyError")],
)
def test_an_action_that_fails_is_reported(config: dict[str, str], fault: str) -> None:
    [notice] = CustomActions(config).run(Signal("1", "note", {}))
    assert notice.text.startswith("The action of signal 1 failed: ")
    assert fault in notice.text


def test_validation_knows_the_installed_channels(package: Path) -> None:
    key = config_def("mysql")["signal.enabled.channels"]
    assert key.validator is not None
    assert key.validator(key.name, ["source", "folder"]) is None
    refused = key.validator(key.name, ["jmx"])
    assert refused is not None
    assert "source, kafka, file, rest, folder" in refused
    config = {"signal.enabled.channels": "source, folder"}
    assert "it cannot be built" in channel_faults(config)[key.name]
    assert channel_faults(config | {"folder.path": str(package)}) == {}
