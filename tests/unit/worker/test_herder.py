"""Connectors by name: their commands, states, and independence of each other."""

from __future__ import annotations

import json

import pytest

from connector.errors import AlreadyExistsError, ConfigError, ConflictError, NotFoundError
from connector.worker.config_store import ConfigStore
from connector.worker.herder import Herder
from connector.worker.state import TargetState
from tests.fixtures.idle_connector import CLASS, TASK_CLASS
from tests.fixtures.idle_worker import WorkerLogs
from tests.unit.worker.herder_states import IDLE, PAUSED, STARTED, STOPPED, states


def test_creating_starts_a_connector(herder: Herder) -> None:
    info = herder.create("c", IDLE)
    assert (info.name, info.type, len(info.tasks)) == ("c", "source", 1)
    assert info.config == {**IDLE, "name": "c"}
    assert states(herder) == ("RUNNING", ["RUNNING"])
    assert herder.answers.tasks("c")[0].config == {**IDLE, "name": "c", "task.class": TASK_CLASS}
    assert herder.answers.status("c").connector.version == "1.0"


@pytest.mark.parametrize(
    ("target", "state", "state_v1"),
    [(PAUSED, "PAUSED", "PAUSED"), (STOPPED, "STOPPED", "PAUSED")],
)
def test_creating_in_another_state(
    herder: Herder, memory: WorkerLogs, target: TargetState, state: str, state_v1: str
) -> None:
    herder.create("c", IDLE, target)
    assert states(herder) == (state, [])
    assert herder.answers.tasks("c") == []
    assert list(memory.configs.entries) == [b"target-state-c", b"connector-c"]
    stored = json.loads(memory.configs.entries[b"target-state-c"])
    assert stored == {"state": state_v1, "state.v2": state}
    herder.set_target("c", STARTED)
    assert states(herder) == ("RUNNING", ["RUNNING"])


def test_a_name_is_taken_once(herder: Herder) -> None:
    herder.create("c", IDLE)
    with pytest.raises(AlreadyExistsError, match=r"^Connector c already exists$"):
        herder.create("c", IDLE)


def test_the_name_in_the_configuration_must_fit(herder: Herder) -> None:
    text = r"^Connector name configuration \(x\) doesn't match connector name in the URL \(c\)$"
    for act in (herder.create, herder.put_config):
        with pytest.raises(ConfigError, match=text):
            act("c", {**IDLE, "name": "x"})
    herder.create("c", IDLE)
    with pytest.raises(ConfigError, match=text):
        herder.patch_config("c", {"name": "x"})


def test_a_name_that_is_null_counts_as_absent(herder: Herder) -> None:
    assert herder.create("c", {**IDLE, "name": None}).config["name"] == "c"
    assert herder.put_config("c", {**IDLE, "name": None})[1].config["name"] == "c"


@pytest.mark.parametrize("key", ["producer.override.acks", "foo", "limit", "key.converter.foo"])
def test_a_null_is_refused_whatever_the_key(herder: Herder, key: str) -> None:
    text = (
        r"contains the following 1 error\(s\):\n"
        r"Null value can not be supplied as the configuration value\.\n"
    )
    for act in (herder.create, herder.put_config):
        with pytest.raises(ConfigError, match=text):
            act("c", {**IDLE, key: None})
    assert herder.answers.names() == []


def test_a_faulty_configuration_is_not_stored(herder: Herder) -> None:
    with pytest.raises(ConfigError) as caught:
        herder.create("c", {**IDLE, "limit": "0", "tasks.max": "x"})
    assert str(caught.value) == (
        "Connector configuration is invalid and contains the following 2 error(s):\n"
        "Invalid value x for configuration tasks.max: Not a number of type INT\n"
        "Invalid value 0 for configuration limit: Value must be at least 1\n"
        "You can also find the above list of errors at the endpoint "
        "`/connector-plugins/{connectorType}/config/validate`"
    )
    assert herder.answers.names() == []


def test_unknown_keys_are_warned_of(herder: Herder, caplog: pytest.LogCaptureFixture) -> None:
    herder.create("c", {**IDLE, "limmit": "1", "driver.x": "1", "key.converter.y": "1"})
    lines = [record.getMessage() for record in caplog.records if "not known" in record.getMessage()]
    assert lines == [
        "Connector c: the configuration key limmit is not known.",
        "Connector c: the configuration key key.converter.y is not known.",
    ]


def test_unknown_keys_of_converters_are_warned_of(
    herder: Herder, caplog: pytest.LogCaptureFixture
) -> None:
    binary = "value.converter.delegate.converter.type"
    config = {
        "key.converter": "JsonConverter",
        "key.converter.schemas.enable": "false",
        "key.converter.schema.enable": "false",
        "value.converter": "io.debezium.converters.BinaryDataConverter",
        binary: "org.apache.kafka.connect.json.JsonConverter",
        f"{binary}.schemas.enable": "false",
    }
    herder.create("c", {**IDLE, **config})
    lines = [record.getMessage() for record in caplog.records if "not known" in record.getMessage()]
    assert lines == ["Connector c: the configuration key key.converter.schema.enable is not known."]


def test_pausing_stopping_and_resuming(herder: Herder) -> None:
    herder.create("c", IDLE)
    for target, expected in (
        (PAUSED, ("PAUSED", ["PAUSED"])),
        (PAUSED, ("PAUSED", ["PAUSED"])),
        (STARTED, ("RUNNING", ["RUNNING"])),
        (STARTED, ("RUNNING", ["RUNNING"])),
        (STOPPED, ("STOPPED", [])),
        (STOPPED, ("STOPPED", [])),
        (PAUSED, ("PAUSED", [])),
        (STARTED, ("RUNNING", ["RUNNING"])),
        (PAUSED, ("PAUSED", ["PAUSED"])),
        (STOPPED, ("STOPPED", [])),
        (STARTED, ("RUNNING", ["RUNNING"])),
    ):
        herder.set_target("c", target)
        assert states(herder) == expected
        assert len(herder.answers.tasks("c")) == len(expected[1])


def test_a_failed_task_stays_failed_until_it_is_restarted(herder: Herder) -> None:
    herder.create("c", {**IDLE, "fault": "fails"})
    assert states(herder) == ("RUNNING", ["FAILED"])
    assert herder.answers.task_status("c", 0).trace == "StopError: it fails\n  somewhere"
    herder.set_target("c", PAUSED)
    herder.set_target("c", STARTED)
    assert states(herder) == ("RUNNING", ["FAILED"])
    herder.put_config("c", IDLE)
    assert states(herder) == ("RUNNING", ["RUNNING"])


def test_the_same_configuration_leaves_the_task_alone(herder: Herder, memory: WorkerLogs) -> None:
    herder.create("c", {**IDLE, "fault": "fails"})
    before = dict(memory.configs.entries)
    created, _ = herder.put_config("c", {**IDLE, "fault": "fails"})
    assert not created
    assert states(herder) == ("RUNNING", ["FAILED"])
    assert memory.configs.entries == before


@pytest.mark.parametrize("target", [PAUSED, STOPPED])
def test_the_same_configuration_leaves_a_connector_at_rest(
    herder: Herder, target: TargetState
) -> None:
    herder.create("c", IDLE)
    herder.set_target("c", target)
    before = states(herder)
    herder.put_config("c", IDLE)
    assert states(herder) == before
    herder.set_target("c", STARTED)
    assert states(herder) == ("RUNNING", ["RUNNING"])


def test_a_changed_configuration_of_a_connector_at_rest_waits(herder: Herder) -> None:
    herder.create("c", IDLE)
    herder.set_target("c", PAUSED)
    herder.put_config("c", {**IDLE, "limit": "7"})
    assert states(herder) == ("PAUSED", ["PAUSED"])
    herder.set_target("c", STARTED)
    assert states(herder) == ("RUNNING", ["RUNNING"])
    assert herder.answers.tasks("c")[0].config["limit"] == "7"


def test_a_patch_changes_adds_and_removes(herder: Herder) -> None:
    herder.create("c", {**IDLE, "limit": "7", "user": "u", "password": "${env:SECRET}"})
    info = herder.patch_config("c", {"limit": "8", "user": None, "tasks.max": "2"})
    assert info.config == {
        "connector.class": CLASS,
        "limit": "8",
        "password": "${env:SECRET}",
        "name": "c",
        "tasks.max": "2",
    }
    assert herder.patch_config("c", {}) == info
    with pytest.raises(ConfigError, match="Value must be at least 1"):
        herder.patch_config("c", {"limit": "0"})
    assert herder.answers.info("c") == info


def test_deleting_keeps_the_offsets_only(herder: Herder, memory: WorkerLogs) -> None:
    herder.create("c", IDLE)
    herder.set_target("c", STOPPED)
    herder.alter_offsets("c", [({"s": 1}, {"n": 2})])
    herder.delete("c")
    assert herder.answers.names() == []
    with pytest.raises(NotFoundError, match=r"^No status found for connector c$"):
        herder.answers.status("c")
    assert memory.statuses.entries == {}
    assert set(memory.configs.entries) <= {b"task-c-0", b"commit-c"}
    herder.create("c", IDLE)
    assert list(herder.offsets("c")) == [({"s": 1}, {"n": 2})]


def test_unknown_connectors(herder: Herder) -> None:
    for act, text in (
        (lambda: herder.delete("x"), "Connector x not found"),
        (lambda: herder.patch_config("x", {}), "Connector x not found"),
        (lambda: herder.set_target("x", PAUSED), "Unknown connector x"),
        (lambda: herder.restart_task("x", 0), "Unknown connector: x"),
        (lambda: herder.offsets("x"), "Connector x not found"),
        (lambda: herder.reset_offsets("x"), "Connector x not found"),
        (
            lambda: herder.restart("x", include_tasks=False, only_failed=False),
            "Unknown connector: x",
        ),
        (
            lambda: herder.restart("x", include_tasks=True, only_failed=False),
            "Unknown connector: x",
        ),
    ):
        with pytest.raises(NotFoundError, match=f"^{text}$"):
            act()


def test_offsets_change_only_when_stopped(herder: Herder) -> None:
    herder.create("c", IDLE)
    for target in (STARTED, PAUSED):
        herder.set_target("c", target)
        with pytest.raises(
            ConflictError, match=r"must be in the STOPPED state .*'/connectors/c/stop'"
        ):
            herder.alter_offsets("c", [({"s": 1}, {"n": 1})])
        with pytest.raises(ConflictError, match="must be in the STOPPED state"):
            herder.reset_offsets("c")
    herder.set_target("c", STOPPED)
    assert "altered successfully" in herder.alter_offsets(
        "c", [({"s": 1}, {"n": 1}), ({"s": 2}, None)]
    )
    assert list(herder.offsets("c")) == [({"s": 1}, {"n": 1})]
    assert "reset successfully" in herder.reset_offsets("c")
    assert list(herder.offsets("c")) == []


def test_a_deleted_connector_is_not_expected_to_have_an_offset(
    herder: Herder, memory: WorkerLogs
) -> None:
    """Its task may store one while it stops; the next of the name may start without it."""
    herder.create("c", {**IDLE, "fault": "stop stores an offset"})
    herder.delete("c")
    assert list(memory.offsets.entries) == [b'["c",{"s":1}]']
    configs = ConfigStore(memory.configs)
    configs.open()
    assert configs.expected_partition("c") is None


def test_an_offsets_topic_of_its_own(herder: Herder, memory: WorkerLogs) -> None:
    herder.create("c", {**IDLE, "offsets.storage.topic": "mine"}, STOPPED)
    herder.alter_offsets("c", [({"s": 1}, {"n": 1})])
    assert list(herder.offsets("c")) == [({"s": 1}, {"n": 1})]
    assert memory.offsets.entries == {b'["c",{"s":1}]': b'{"n":1}'}


def test_an_offsets_topic_is_on_the_cluster_that_the_connector_writes_to(
    herder: Herder, memory: WorkerLogs
) -> None:
    """Requests may open it before the task does; topics of one name lie on several clusters."""
    for name, servers in (("a", "one:9092"), ("b", "two:9092"), ("c", "${env:SECRET}")):
        config = {**IDLE, "producer.override.bootstrap.servers": servers}
        herder.create(name, {**config, "offsets.storage.topic": "mine"}, STOPPED)
        herder.alter_offsets(name, [({"s": 1}, {"n": 1})])
    assert {where: list(log.entries) for where, log in memory.topics.items()} == {
        ("mine", "one:9092"): [b'["a",{"s":1}]'],
        ("mine", "two:9092"): [b'["b",{"s":1}]'],
        ("mine", "s3cret-value"): [b'["c",{"s":1}]'],
    }


def test_the_second_connector_with_the_same_claim_is_refused(herder: Herder) -> None:
    herder.create("first", {**IDLE, "user": "u"})
    with pytest.raises(ConfigError, match="The connector first of this worker runs with the same"):
        herder.create("second", {**IDLE, "user": "u"})
    assert states(herder, "first") == ("RUNNING", ["RUNNING"])
    herder.create("second", {**IDLE, "user": "other"})


def test_a_stopped_connector_claims_nothing_until_it_starts_again(herder: Herder) -> None:
    herder.create("first", {**IDLE, "user": "u"})
    herder.set_target("first", STOPPED)
    herder.create("second", {**IDLE, "user": "u"})
    herder.set_target("first", STARTED)
    assert states(herder, "second") == ("RUNNING", ["RUNNING"])
    assert states(herder, "first") == ("RUNNING", ["FAILED"])
    trace = herder.answers.task_status("first", 0).trace or ""
    assert "The connector second of this worker runs with the same user" in trace
    herder.delete("second")
    herder.restart_task("first", 0)
    assert states(herder, "first") == ("RUNNING", ["RUNNING"])


def test_no_status_shows_what_a_provider_gave(herder: Herder) -> None:
    herder.create("c", {**IDLE, "password": "${env:SECRET}", "fault": "fails with password"})
    trace = herder.answers.task_status("c", 0).trace or ""
    assert "${env:SECRET}" in trace
    assert "s3cret-value" not in trace
