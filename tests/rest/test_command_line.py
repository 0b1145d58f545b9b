"""The command line, exit codes, and the end of a worker."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fixtures.topics import Topics
from tests.fixtures.worker import ROOT, WorkerProcess, wait_for
from tests.rest.answers import Config
from tests.rest.conftest import MODULE
from tests.rest.ticker import numbers
from tools.stack import KafkaBroker, Workspace
from tools.stack.ports import free_port

MINIMAL = "bootstrap.servers=h:1\noffset.storage.file.filename=/x\n"


def millrace(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "connector", *arguments]
    inherited = {key: text for key, text in os.environ.items() if not key.startswith("CONNECT_")}
    return subprocess.run(
        command,
        cwd=ROOT,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_unexpected_error_at_the_start_ends_the_worker(tmp_path: Path) -> None:
    """No worker that is starting for ever, which nothing restarts."""
    file = tmp_path / "worker.properties"
    file.write_text(
        f"bootstrap.servers=127.0.0.1:1\nlisteners=http://127.0.0.1:{free_port()}\n"
        f"offset.storage.file.filename={tmp_path}/off\\u0000sets\n"
    )
    done = millrace(str(file))
    assert done.returncode == 1
    assert "The worker cannot start: ValueError: embedded null byte" in done.stdout


def test_help() -> None:
    done = millrace("--help")
    assert done.returncode == 0
    assert "worker file, as Kafka Connect has it" in done.stdout


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "cannot be read: No such file or directory."),
        ("a=\\u12\n", "The escape \\u12 needs four hexadecimal digits."),
        (
            "offset.storage.file.filename=/x\n",
            (
                'Missing required configuration "bootstrap.servers" which has no default '
                "value: set it "
                "to the Kafka brokers, as host:port."
            ),
        ),
        (
            "bootstrap.servers=h:1\n",
            (
                'Missing required configuration "group.id" which has no default value: set '
                "offset.storage.file.filename to keep state in files, or group.id, "
                "config.storage.topic, offset.storage.topic and status.storage.topic to keep it in "
                "Kafka."
            ),
        ),
        (
            MINIMAL + "offset.flush.interval.ms=1s\n",
            (
                "Invalid value 1s for configuration offset.flush.interval.ms: Not a number of type "
                "LONG"
            ),
        ),
        (
            MINIMAL + "value.converter.schemas.enable=maybe\n",
            "value.converter: Invalid value maybe for configuration schemas.enable: ",
        ),
        (
            MINIMAL + "key.converter=NoSuch\n",
            (
                "Invalid value NoSuch for configuration key.converter: Class NoSuch could not be "
                "found."
            ),
        ),
        (
            (MINIMAL + "listeners=http://192.0.2.1:1\n"),
            (
                "Invalid value http://192.0.2.1:1 for configuration listeners: Cannot assign "
                "requested address. Choose another address, or stop what listens there."
            ),
        ),
        (
            (MINIMAL + "security.protocol=SASL_SSL\nsasl.jaas.config=nonsense s3cret\n"),
            "Invalid value for configuration sasl.jaas.config: ",
        ),
        (
            (MINIMAL + "connector.client.config.override.policy=Some\n"),
            (
                "Invalid value Some for configuration connector.client.config.override.policy: "
                "use one of All, None, Principal, Allowlist."
            ),
        ),
        (
            (MINIMAL + "listeners=http://127.0.0.1:0\nresponse.http.headers.config=nonsense\n"),
            "Invalid value nonsense for configuration response.http.headers.config: ",
        ),
    ],
)
def test_a_bad_file_ends_with_one_message(tmp_path: Path, content: str | None, fault: str) -> None:
    file = tmp_path / "worker.properties"
    if content is not None:
        file.write_text(content)
    done = millrace(str(file))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"millrace: {file}: ")
    assert fault in line
    assert "s3cret" not in line


def test_a_port_that_is_taken(worker: WorkerProcess, tmp_path: Path) -> None:
    file = tmp_path / "worker.properties"
    file.write_text(MINIMAL + f"listeners={worker.url}\n")
    done = millrace(str(file))
    assert done.returncode == 2
    assert (
        f"Invalid value {worker.url} for configuration listeners: Address already in use."
        in done.stderr
    )


def test_nothing_to_go_by() -> None:
    done = millrace()
    assert done.returncode == 2
    assert done.stderr == "millrace: Name a worker file, or set CONNECT_* variables.\n"


def test_an_unknown_log_level(tmp_path: Path) -> None:
    done = millrace("--log-level", "loud", str(tmp_path / "x"))
    assert (done.returncode, "invalid log level 'loud'" in done.stderr) == (2, True)


def test_unknown_keys_get_a_line_each(broker: KafkaBroker, tmp_path: Path) -> None:
    properties = {
        "offset.storage.file.filename": str(tmp_path / "offsets"),
        "ofset.flush": "1",
        "more": "2",
        "plugin.path": "/usr/share/java",
    }
    with WorkerProcess(tmp_path, broker.address, properties) as worker:
        text = worker.log.read_text()
        for key in ("ofset.flush", "more"):
            assert text.count(f"The configuration '{key}' was supplied but isn't a known") == 1
        assert "plugin.path" not in text
        ready = re.findall(r"Ready: REST API at (\S+)", text)
        assert ready == [worker.url]


def test_variables_of_the_environment(broker: KafkaBroker, tmp_path: Path) -> None:
    """As container images take them; they win over the file."""
    port = free_port()
    environment = {
        "CONNECT_LISTENERS": f"http://127.0.0.1:{port}",
        "CONNECT_OFFSET_STORAGE_FILE_FILENAME": str(tmp_path / "offsets"),
        "CONNECT_REST_ADVERTISED_HOST_NAME": "somewhere",
        "CONNECT_A___B__C": "x",
    }
    worker = WorkerProcess(tmp_path, broker.address, environment=environment)
    worker.url = f"http://127.0.0.1:{port}"
    with worker:
        text = worker.log.read_text()
        assert f"Ready: REST API at http://somewhere:{port}" in text
        assert "The configuration 'a-b_c' was supplied but isn't a known config." in text


@pytest.mark.parametrize("form", ["wrapped", "flat", "properties"])
def test_connectors_of_the_command_line(
    broker: KafkaBroker, topics: Topics, tmp_path: Path, name: str, ticker: Config, form: str
) -> None:
    file = tmp_path / ("c.properties" if form == "properties" else "c.json")
    flat = {**ticker, "name": name}
    file.write_text(
        {
            "wrapped": json.dumps({"name": name, "config": ticker}),
            "flat": json.dumps(flat),
            "properties": "".join(f"{key}={text}\n" for key, text in flat.items()),
        }[form]
    )
    properties = {"offset.storage.file.filename": str(tmp_path / "offsets")}
    worker = WorkerProcess(tmp_path, broker.address, properties, MODULE, (file,))
    with worker:
        topics.wait_for(name, 20)
        assert worker.http.get(f"/connectors/{name}/config").json() == flat
        assert worker.stop() == 0
        file.write_text(
            json.dumps({**flat, "messages": "22"})
            if form != "properties"
            else "".join(f"{k}={v}\n" for k, v in {**flat, "messages": "22"}.items())
        )
        worker.start()
        assert numbers([got.value for got in topics.wait_for(name, 22)]) == list(range(1, 23))


def test_a_connector_of_the_command_line_that_begins_stopped(
    broker: KafkaBroker, tmp_path: Path, name: str, ticker: Config
) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"name": name, "config": ticker, "initial_state": "stopped"}))
    properties = {"offset.storage.file.filename": str(tmp_path / "offsets")}
    with WorkerProcess(tmp_path, broker.address, properties, MODULE, (file,)) as worker:
        wait_for(lambda: worker.states(name) == ("STOPPED", []))


@pytest.mark.parametrize(
    ("config", "fault"),
    [
        ({"connector.class": "NoSuch"}, "Failed to find any class that implements Connector"),
        ({"connector.class": "Ticker"}, 'Missing required configuration "topic"'),
    ],
)
def test_a_bad_connector_of_the_command_line_ends_the_worker(
    broker: KafkaBroker, tmp_path: Path, config: Config, fault: str
) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"name": "c", "config": config}))
    properties = {"offset.storage.file.filename": str(tmp_path / "offsets")}
    worker = WorkerProcess(tmp_path, broker.address, properties, MODULE, (file,)).start(wait=False)
    assert worker.wait(30) == 3
    text = worker.log.read_text()
    assert str(file) in text
    assert fault in text


def test_an_unreadable_connector_file(tmp_path: Path) -> None:
    file = tmp_path / "worker.properties"
    file.write_text(MINIMAL + "")
    done = millrace(str(file), str(tmp_path / "nope.json"))
    assert done.returncode == 2
    assert f"{tmp_path / 'nope.json'}: cannot be read" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_worker_in_order(
    broker: KafkaBroker, topics: Topics, tmp_path: Path, name: str, ticker: Config, number: int
) -> None:
    properties = {"offset.storage.file.filename": str(tmp_path / "offsets")}
    worker = WorkerProcess(tmp_path, broker.address, properties, MODULE).start()
    worker.create(name, {**ticker, "messages": "-1", "interval.ms": "1"})
    wait_for(lambda: worker.http.get(f"/connectors/{name}/offsets").json()["offsets"])
    began = time.monotonic()
    os.kill(worker.pid, number)
    assert worker.wait(12) == 0
    assert time.monotonic() - began < 10
    sent = numbers([got.value for got in topics.read(name)])
    assert sent == list(range(1, len(sent) + 1))
    with worker:
        offsets = worker.http.get(f"/connectors/{name}/offsets").json()["offsets"]
        assert offsets[0]["offset"]["n"] >= len(sent)
        worker.http.delete(f"/connectors/{name}")


def test_a_task_that_hangs_does_not_hold_up_the_end(
    broker: KafkaBroker, tmp_path: Path, name: str, ticker: Config
) -> None:
    properties = {
        "offset.storage.file.filename": str(tmp_path / "offsets"),
        "task.shutdown.graceful.timeout.ms": "500",
    }
    worker = WorkerProcess(tmp_path, broker.address, properties, MODULE).start()
    worker.create(name, {**ticker, "stop.block.ms": "60000"})
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    began = time.monotonic()
    assert worker.stop() == 0
    assert time.monotonic() - began < 5
    assert f"Task {name}-0 did not stop in time and was abandoned." in worker.log.read_text()


@pytest.mark.slow
def test_a_broker_that_is_gone_does_not_hold_up_the_end(
    workspace: Workspace, tmp_path: Path, name: str, ticker: Config
) -> None:
    with KafkaBroker(workspace) as own:
        properties = {"group.id": name}
        for store in ("config", "offset", "status"):
            properties[f"{store}.storage.topic"] = f"{name}-{store}"
            properties[f"{store}.storage.replication.factor"] = "1"
        worker = WorkerProcess(tmp_path, own.address, properties, MODULE).start()
        worker.create(name, {**ticker, "messages": "-1"})
        worker.wait_for_states(name, "RUNNING", "RUNNING")
        own.kill()
        began = time.monotonic()
        assert worker.stop() == 0
        assert time.monotonic() - began < 10
