"""The events that a job sends to an OpenLineage server."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sparksink.config.file import parse
from sparksink.config.target import Target
from sparksink.status.datasets import dataset_name
from sparksink.status.lineage import Lineage
from tests.fixtures.sink.recorded import MakeSink, Topic, field
from tests.sink.conftest import settings
from tests.sink.test_streaming import ONCE, record
from tools.stack.ports import free_port


class Server:
    """Keeps the events it receives; responds with errors or slowly if configured."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.status, self.pause = 201, 0.0
        keeper = self

        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                keeper.got.append((self.path, body))
                time.sleep(keeper.pause)
                self.send_response(keeper.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


class Empty:
    """Names nothing."""

    def inputs(self, _: Any) -> list[Any]:
        return []

    outputs = inputs


def lineage(url: str | None) -> Lineage:
    return Lineage(url, "job", Empty())  # type: ignore[arg-type]


def test_a_run_reports_each_batch_and_its_end(
    sink: MakeSink, tmp_path: Path, server: Server
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415 - needs Spark
    from sparksink.errors import SinkError  # noqa: PLC0415

    topic = Topic(columns=[field("id", "int32"), field("v", "string")])
    record(tmp_path, "0.json", topic.change("c", 100, None, {"id": 1, "v": "secret"}))
    metrics = {"openlineage": server.url.replace("//", "//user:password@")}
    run(sink(metrics=metrics), ONCE)
    assert {path for path, _ in server.got} == {"/api/v1/lineage"}
    events = [event for _, event in server.got]
    assert [event["eventType"] for event in events] == ["START", "RUNNING", "COMPLETE"]
    assert len({event["run"]["runId"] for event in events}) == 1
    for event in events:
        assert event["job"] == {"namespace": "millrace", "name": "test"}
        assert event["schemaURL"].startswith("https://openlineage.io/spec/2-0-2/OpenLineage.json")
        assert {"eventTime", "producer"} < event.keys()
    assert events[1]["inputs"] == [{"namespace": "file", "name": str(tmp_path / "in")}]
    [output] = events[1]["outputs"]
    assert (output["namespace"], output["name"]) == ("file", str(tmp_path / "lake/shop__orders"))
    fields = output["facets"]["schema"]["fields"]
    assert {"name": "v", "type": "string"} in fields
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 1
    text = json.dumps(events)
    assert "secret" not in text
    assert "password" not in text
    server.got.clear()
    strict = {"malformed": "fail"}
    record(tmp_path, "1.json", topic.message({"id": 1}, b"?"))
    with pytest.raises(SinkError):
        run(sink(metrics=metrics, errors=strict), ONCE)
    assert [event["eventType"] for _, event in server.got] == ["START", "FAIL"]


def test_a_missing_server_is_logged_once_per_outage(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    from sparksink.state.table_result import TableResult  # noqa: PLC0415

    caplog.set_level(logging.INFO, "sparksink")
    server.status = 503
    done = [TableResult("shop.orders")]

    def sent(number: int) -> None:
        until = time.monotonic() + 10
        while len(server.got) < number and time.monotonic() < until:
            time.sleep(0.01)

    with lineage(server.url) as reporter:
        reporter.batch(done)
        sent(2)
        server.status = 201
        reporter.batch(done)
    assert len(server.got) == 4
    lines = [one.message for one in caplog.records if "openlineage" in one.message]
    assert [("does not accept" in line, "503" in line) for line in lines] == [
        (True, True),
        (False, False),
    ]
    caplog.clear()
    begun = time.monotonic()
    with lineage(f"http://127.0.0.1:{free_port()}/own?key=secret") as reporter:
        reporter.batch(done)
    assert time.monotonic() - begun < 5
    [line] = [one.message for one in caplog.records if "openlineage" in one.message]
    assert "ConnectError" in line
    assert "secret" not in caplog.text


def test_a_slow_server_holds_no_batch_up(server: Server) -> None:
    from sparksink.state.table_result import TableResult  # noqa: PLC0415

    server.pause = 8
    begun = time.monotonic()
    with lineage(f"{server.url}/own/path") as reporter:
        for _ in range(200):
            reporter.batch([TableResult("shop.orders")])
        assert time.monotonic() - begun < 1
    assert time.monotonic() - begun < 5
    assert server.got[0][0] == "/own/path"


def test_without_a_server_nothing_is_sent() -> None:
    with lineage(None) as reporter:
        reporter.batch([])
    assert not reporter._sender.is_alive()


@pytest.mark.parametrize(
    ("target", "namespace", "name"),
    [
        ({"path": "/data/lake/"}, "file", "/data/lake/t"),
        ({"path": "file:///data/lake"}, "file", "/data/lake/t"),
        ({"path": "s3a://key:secret@bucket/lake"}, "s3a://bucket", "lake/t"),
        ({"path": "/w", "format": "iceberg"}, "iceberg://lake", "default.t"),
        (
            {"path": "/w", "format": "jdbc",
             "jdbc": {"url": "jdbc:mariadb://u:secret@db:3306/shop?x=y", "user": "u"}},
            "mysql://db:3306",
            "shop.t",
        ),
    ],
)  # fmt: skip
def test_tables_are_named_without_credentials(
    target: dict[str, Any], namespace: str, name: str
) -> None:
    assert dataset_name(Target.model_validate(target), "t") == (namespace, name)


def test_the_topics_of_kafka_are_inputs(tmp_path: Path) -> None:
    from sparksink.state.table_result import TableResult  # noqa: PLC0415
    from sparksink.status.datasets import Datasets  # noqa: PLC0415

    source = {"kind": "kafka", "bootstrap.servers": "a:9092, b:9092", "path": ""}
    config = parse(settings(tmp_path, source=source))
    done = [TableResult("shop.a", topic="srv.all/shop.a"), TableResult("shop.b", topic="srv.b")]
    found = Datasets(config, None).inputs(done)  # type: ignore[arg-type]
    assert found == [
        {"namespace": "kafka://a:9092", "name": "srv.all"},
        {"namespace": "kafka://a:9092", "name": "srv.b"},
    ]
