"""The same requests to Kafka Connect and to Millrace: the same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from tests.fixtures.worker import JSON, WorkerProcess
from tests.rest.oracle_config import MYSQL
from tools.stack import ConnectWorker, KafkaBroker, MySql97
from tools.stack.http import http

OFFSETS = {"offsets": [{"partition": {"server": "x"}, "offset": None}]}


CONNECTOR, KEY_CONVERTER = "connector.plugin.version", "key.converter.plugin.version"
VERSIONED = {
    "connector.class": MYSQL,
    "key.converter": "org.apache.kafka.connect.json.JsonConverter",
}


class Call(NamedTuple):
    """A request; ``body`` is sent as it is when it is a text, as JSON otherwise."""

    method: str
    path: str
    body: Any = None
    headers: dict[str, str] | None = None

    def send(self, url: str) -> httpx.Response:
        content = (
            self.body if isinstance(self.body, str) or self.body is None else json.dumps(self.body)
        )
        headers = self.headers if self.headers is not None else (JSON if content else {})
        return httpx.request(
            self.method, url + self.path, content=content, headers=headers, timeout=60
        )


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SAME = [
    Call("GET", "/nope"),
    Call("GET", "/connectors/x/nope"),
    Call("GET", "/connectors"),
    Call("GET", "/connectors/"),
    Call("GET", "/connectors?expand=info"),
    Call("GET", "/connectors?expand="),
    Call("DELETE", "/connectors"),
    Call("OPTIONS", "/connectors"),
    Call("OPTIONS", "/connectors/x/status"),
    Call("OPTIONS", "/nope"),
    Call("HEAD", "/connectors"),
    Call("HEAD", "/nope"),
    Call("POST", "/connectors", "{}", FORM),
    Call("PUT", "/connectors/x/pause", "{}", FORM),
    Call("GET", "/", headers={"Accept": "text/html"}),
    Call("GET", "/health", headers={"Accept": "application/*"}),
    Call("GET", "/health"),
    Call("GET", "/connectors/x"),
    Call("GET", "/connectors/x/config"),
    Call("GET", "/connectors/x/tasks"),
    Call("GET", "/connectors/x/status"),
    Call("GET", "/connectors/x/tasks/0/status"),
    *(
        Call("GET", f"/connectors/x/tasks/{number}/status")
        for number in ("a", "-1", "+1", "01", "1.0", "1_0", "%201", "%31", "2147483648")
    ),
    Call("POST", "/connectors/x/tasks/1.0/restart"),
    Call("PUT", "/connectors/x/pause"),
    Call("PUT", "/connectors/x/resume"),
    Call("PUT", "/connectors/x/stop"),
    Call("POST", "/connectors/x/restart"),
    Call("POST", "/connectors/x/restart?includeTasks=true"),
    Call("POST", "/connectors/x/restart?onlyFailed=true"),
    Call("POST", "/connectors/x/tasks/0/restart"),
    Call("GET", "/connectors/x/topics"),
    Call("PUT", "/connectors/x/topics/reset"),
    Call("GET", "/connectors/x/offsets"),
    Call("PATCH", "/connectors/x/offsets", {}),
    Call("PATCH", "/connectors/x/offsets", OFFSETS),
    Call("DELETE", "/connectors/x/offsets"),
    Call("DELETE", "/connectors/x"),
    Call("PATCH", "/connectors/x/config", {}),
    Call("GET", "/connector-plugins/Foo/config"),
    Call("GET", f"/connector-plugins/{MYSQL}/config?version=[1"),
    Call("GET", f"/connector-plugins/{MYSQL}/config?version=(1)"),
    Call("GET", "/admin/loggers/foo"),
    Call("PUT", "/admin/loggers/foo", {}),
    Call("PUT", "/admin/loggers/foo", {"levl": "info"}),
    Call("PUT", "/admin/loggers/foo", {"level": "loud"}),
    Call("PUT", "/admin/loggers/zz.yy", {"level": "debug"}),
    Call("PUT", "/admin/loggers/zz.yy", {"level": "DEBUG"}),
    Call("PUT", "/admin/loggers/zz.yy.a", {"level": "trace"}),
    Call("PUT", "/admin/loggers/zz.yy.a", {"level": "trace"}),
    Call("PUT", "/admin/loggers/zz.yy", {"level": "error"}),
    Call("PUT", "/admin/loggers/zz.yy?scope=cluster", {"level": "info"}),
    Call("PUT", f"/connector-plugins/{MYSQL}/config/validate", {"connector.class": "Foo"}),
    Call("POST", "/connectors", {"name": "q", "config": {"connector.class": MYSQL, "name": "z"}}),
    Call("PUT", "/connectors/q/config", {"connector.class": MYSQL, "name": "z"}),
]


@pytest.mark.parametrize("call", SAME, ids=lambda call: f"{call.method} {call.path} {call.body}")
def test_the_same_answer(connect_worker: ConnectWorker, worker: WorkerProcess, call: Call) -> None:
    theirs, ours = call.send(connect_worker.url), call.send(worker.url)
    assert ours.status_code == theirs.status_code
    assert ours.text == theirs.text
    assert ours.headers.get("allow") == theirs.headers.get("allow")


# Where Connect answers 500 or repeats what may be secret, the status or text is better here.
BETTER = [
    (Call("POST", "/connectors", "{"), 500, 400, "Unexpected end-of-input"),
    (Call("POST", "/connectors", "{a}"), 500, 400, "Unexpected character ('a' (code 97))"),
    (Call("POST", "/connectors", "[]"), 500, 400, "Cannot deserialize value of type"),
    (Call("POST", "/connectors", '"a"'), 500, 400, "Cannot construct instance of"),
    (Call("POST", "/connectors", {"nam": 1}), 500, 400, 'Unrecognized field "nam"'),
    (Call("POST", "/connectors", {"name": ["x"]}), 500, 400, "Cannot deserialize value of type"),
    (
        Call("POST", "/connectors", {"name": "x", "config": {"a": {}}}),
        500,
        400,
        "Cannot deserialize value of type",
    ),
    *(
        (Call("GET", f"/connector-plugins/{MYSQL}/config?version={required}"), 400, 400, text)
        for required, text in (
            ("9", "not found that matches the version range [9,9], available versions: ["),
            ("[9,)", "not found that matches the version range [9,), available versions: ["),
        )
    ),
    *(
        (Call("PUT", "/connectors/x/config", {**VERSIONED, CONNECTOR: required}), 400, 400, text)
        for required, text in (
            ("[1", "Unbounded range: [1"),
            ("9", "not found that matches the version range [9,9], available versions: ["),
        )
    ),
    (
        Call("PATCH", "/connectors/x/offsets", {"offsets": [1]}),
        500,
        400,
        "Cannot construct instance",
    ),
    (Call("PUT", "/connectors/x/config", {}), 400, 400, "contains no connector type"),
    (
        Call("PUT", "/connector-plugins/Foo/config/validate", {}),
        500,
        400,
        "contains no connector type",
    ),
    (
        Call("PUT", "/connector-plugins/Foo/config/validate", {"connector.class": "Foo"}),
        500,
        400,
        "Failed to find any class that implements Connector and which name matches Foo",
    ),
    (
        Call("POST", "/connectors", {"name": "x", "config": {"connector.class": "Foo"}}),
        400,
        400,
        (
            "Failed to find any class that implements Connector and which name matches Foo, "
            "available connectors are: "
        ),
    ),
]


@pytest.mark.parametrize(("call", "theirs", "ours", "text"), BETTER)
def test_a_better_answer(
    connect_worker: ConnectWorker,
    worker: WorkerProcess,
    call: Call,
    theirs: int,
    ours: int,
    text: str,
) -> None:
    for url, status in ((connect_worker.url, theirs), (worker.url, ours)):
        answer = call.send(url)
        assert answer.status_code == status
        assert text in answer.json()["message"]


@pytest.mark.parametrize("version", ["latest", "3.6.1.Final", "3.6.1", "[3.6,4)", "(,3],[3.6,)"])
def test_a_version_that_the_plugin_has(
    connect_worker: ConnectWorker, worker: WorkerProcess, version: str
) -> None:
    call = Call("GET", f"/connector-plugins/{MYSQL}/config?version={version}")
    assert [call.send(url).status_code for url in (connect_worker.url, worker.url)] == [200, 200]


@pytest.fixture
def mysql_config(mysql: MySql97, broker: KafkaBroker, name: str) -> dict[str, str]:
    return {
        "connector.class": MYSQL,
        "tasks.max": "1",
        "topic.prefix": name,
        "database.hostname": mysql.host,
        "database.port": str(mysql.port),
        "database.user": "root",
        "database.password": "root",
        "database.server.id": "71234",
        "database.include.list": name,
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
        "schema.history.internal.kafka.topic": f"{name}-history",
    }


@pytest.fixture
def urls(
    connect_worker: ConnectWorker, worker: WorkerProcess, name: str
) -> Iterator[tuple[str, str]]:
    yield connect_worker.url, worker.url
    for url in (connect_worker.url, worker.url):
        http.delete(f"{url}/connectors/{name}")


def _comparable(answer: httpx.Response, url: str) -> Any:
    """Return status and body without what belongs to one worker; keys keep no order."""
    address = url.removeprefix("http://")
    text = answer.text.replace(address, "WORKER").replace(f'"{MYSQL}Task"', '"TASK"')
    return answer.status_code, json.loads(text) if text.startswith(("{", "[")) else text


def test_the_life_of_a_stopped_connector(
    urls: tuple[str, str], mysql_config: dict[str, str], name: str
) -> None:
    path = f"/connectors/{name}"
    body = {"name": name, "config": mysql_config, "initial_state": "stopped"}
    moved = [{"partition": {"server": name}, "offset": {"file": "binlog.000001", "pos": 4}}]
    gone = [{"partition": {"server": name}, "offset": None}]
    for call in (
        Call("POST", "/connectors", body),
        Call("POST", "/connectors", body),
        Call("GET", path),
        Call("GET", path + "/config"),
        Call("GET", path + "/tasks"),
        Call("GET", path + "/status"),
        Call("GET", "/connectors?expand=info&expand=status"),
        Call("GET", "/connectors?expand="),
        Call("GET", "/connectors?expand=tasks"),
        Call("GET", path + "/offsets"),
        Call("PATCH", path + "/offsets", {"offsets": moved}),
        Call("GET", path + "/offsets"),
        Call("PATCH", path + "/offsets", {"offsets": gone}),
        Call("GET", path + "/offsets"),
        Call("PATCH", path + "/offsets", {"offsets": moved}),
        Call("DELETE", path + "/offsets"),
        Call("DELETE", path + "/offsets"),
        Call("PUT", path + "/config", {**mysql_config, "tasks.max": 1, "snapshot.mode": "no_data"}),
        Call("PATCH", path + "/config", {"snapshot.mode": None, "tombstones.on.delete": False}),
        Call("PUT", path + "/config", {**mysql_config, "name": None}),
        *(
            Call("PUT", path + "/config", {**mysql_config, **VERSIONED, **versions})
            for versions in (
                {CONNECTOR: "latest", KEY_CONVERTER: "latest"},
                {CONNECTOR: "[3.6,4)", KEY_CONVERTER: "[4,5)"},
            )
        ),
        Call("PUT", path + "/stop"),
        Call("GET", path + "/status"),
        Call("POST", path + "/restart?includeTasks=true"),
        Call("POST", path + "/tasks/0/restart"),
        Call("POST", path + "/tasks/-1/restart"),
        Call("GET", path + "/topics"),
        Call("DELETE", path),
        Call("GET", path + "/config"),
    ):
        theirs, ours = (_comparable(call.send(url), url) for url in urls)
        assert ours == theirs, call


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("producer.override.acks", None),
        ("foo", None),
        *((KEY_CONVERTER, required) for required in ("latest", "[4,5)", "[1")),
    ],
)
def test_errors_of_one_key(
    urls: tuple[str, str], mysql_config: dict[str, str], name: str, key: str, text: str | None
) -> None:
    """Through the validation: PUT answers 500 there, for errors beside a connector's own."""
    config = {**mysql_config, **VERSIONED, "name": name, key: text}
    call = Call("PUT", f"/connector-plugins/{MYSQL}/config/validate", config)
    theirs, ours = (_errors(call.send(url), key) for url in urls)
    assert ours == theirs


def _errors(answer: httpx.Response, key: str) -> set[str]:
    values = [entry["value"] for entry in answer.json()["configs"] if entry["value"]]
    return {text for value in values if value["name"] == key for text in value["errors"]}


def test_definitions_of_the_base_keys(
    urls: tuple[str, str], mysql_config: dict[str, str], name: str
) -> None:
    config = {**mysql_config, "name": name, "errors.tolerance": "some", "tasks.max": "0"}
    found = []
    for url in urls:
        call = Call("PUT", f"/connector-plugins/{MYSQL}/config/validate", config)
        entries = {
            entry["value"]["name"]: entry
            for entry in call.send(url).json()["configs"]
            if entry["definition"] and entry["definition"]["group"] in BASE_GROUPS
        }
        for entry in entries.values():
            entry["definition"].pop("documentation")
            entry["definition"].pop("order", None)
            entry["value"]["recommended_values"] = []
        found.append(entries)
    assert list(found[1]) == list(found[0])
    for key, theirs in found[0].items():
        assert found[1][key] == theirs


BASE_GROUPS = {
    "Common",
    "Transforms",
    "Predicates",
    "Error Handling",
    "Topic Creation",
    "Exactly Once Support",
    "offsets.topic",
}
