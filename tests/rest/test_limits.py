"""No client can occupy the port, fill the memory of the worker, or forge its log."""

from __future__ import annotations

import contextlib
import resource
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.fixtures.worker import JSON, WorkerProcess, wait_for
from tests.rest.answers import Config, error
from tests.rest.worker_settings import settings
from tools.stack import KafkaBroker
from tools.stack.ports import free_port

FEW_DESCRIPTORS = 200


def raw(worker: WorkerProcess, request: bytes) -> bytes:
    """Send bytes and return what comes back until the worker closes, or for two seconds."""
    with socket.create_connection(("127.0.0.1", worker.port), 2) as connection:
        connection.sendall(request)
        received = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while chunk := connection.recv(65536):
                received += chunk
        return received


def test_a_body_without_content_type_creates_nothing(worker: WorkerProcess, name: str) -> None:
    body = b'{"name": "%s", "config": {}}' % name.encode()
    answer = worker.http.post("/connectors", content=body)
    assert error(answer) == (415, 415, "HTTP 415 Unsupported Media Type")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"},
    ],
)
def test_requests_of_foreign_sites_change_nothing(
    worker: WorkerProcess, name: str, headers: dict[str, str]
) -> None:
    sent = {**JSON, **headers}
    for method, path in (("POST", "/connectors"), ("DELETE", f"/connectors/{name}")):
        answer = worker.http.request(method, path, content=b"{}", headers=sent)
        assert error(answer)[0] == 403
    assert worker.http.get("/connectors", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers", [{"Origin": "OWN"}, {"Sec-Fetch-Site": "same-origin", "Origin": "http://proxy"}]
)
def test_requests_of_the_own_site_pass(
    worker: WorkerProcess, name: str, ticker: Config, headers: dict[str, str]
) -> None:
    sent = {key: text.replace("OWN", worker.url) for key, text in headers.items()}
    answer = worker.http.put(f"/connectors/{name}/config", json=ticker, headers=sent)
    assert answer.status_code == 201


def test_a_body_that_is_too_large_is_refused(worker: WorkerProcess) -> None:
    announced = b"POST /connectors HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    assert b" 413 " in raw(worker, announced + b"Content-Length: 9000000\r\n\r\n")
    chunks = (b"[%s]" % (b"1," * 500_000) for _ in range(9))
    with contextlib.suppress(httpx.WriteError):
        answer = worker.http.post("/connectors", content=chunks, headers=JSON)
        assert error(answer)[0] == 413
    assert worker.http.get("/health").status_code == 200


@pytest.mark.parametrize(
    "body", [b"[" * 4_000_000, b"[" * 500 + b"]" * 500, b'{"a":[' + b"1.5," * 1_000_000 + b"1]}"]
)
def test_bodies_that_are_slow_to_parse_are_refused_at_once(
    worker: WorkerProcess, body: bytes
) -> None:
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(
            httpx.post, f"{worker.url}/connectors", content=body, headers=JSON, timeout=20
        )
        slowest = 0.0
        while not sent.done():
            began = time.monotonic()
            assert worker.http.get("/health").status_code == 200
            slowest = max(slowest, time.monotonic() - began)
        assert sent.result().status_code == 400
    assert slowest < 1


@pytest.mark.parametrize("value", [r'"\ud800"', r'"a\uDC00b"'])
def test_half_of_a_surrogate_pair_is_refused(worker: WorkerProcess, name: str, value: str) -> None:
    body = f'{{"name": "{name}", "config": {{"connector.class": "Ticker", "topic": {value}}}}}'
    answer = worker.http.post("/connectors", content=body, headers=JSON)
    assert error(answer) == (
        400,
        400,
        "A text holds half of a surrogate pair, which is no character",
    )


def test_a_request_with_two_lengths_is_refused(worker: WorkerProcess) -> None:
    head = b"POST /connectors HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    both = b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    assert b" 400 " in raw(worker, head + both).split(b"\r\n")[0]


def test_a_path_cannot_forge_log_lines(worker: WorkerProcess, name: str) -> None:
    worker.http.get(f"/connectors/{name}%0A[forged]%1B[31m%00")
    sent = f"/connectors/{name}%0A[forged]%1B[31m%00"
    wait_for(lambda: sent in worker.log.read_text(), 5)
    worker.http.put(
        f"/connectors/{name}%0A[forged]/config", json={"connector.class": "x\n[forged]"}
    )
    text = worker.log.read_text()
    assert "\n[forged]" not in text
    assert not {"\x1b", "\0"} & set(text)


@pytest.fixture
def crowded(broker: KafkaBroker, tmp_path: Path, pem: Path) -> Iterator[tuple[WorkerProcess, int]]:
    """A worker with few file descriptors, and the port of its https listener."""
    port = free_port()
    worker = WorkerProcess(tmp_path, broker.address, settings(tmp_path))
    worker.properties |= {
        "listeners": f"{worker.url},https://127.0.0.1:{port}",
        "ssl.keystore.location": str(pem),
        "ssl.key.password": "secret",
    }
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_DESCRIPTORS, hard))
    try:
        worker.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    yield worker, port
    worker.kill()


def test_more_connections_than_descriptors(crowded: tuple[WorkerProcess, int]) -> None:
    worker, port = crowded
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    before = worker.log.stat().st_size
    with contextlib.ExitStack() as stack:
        for _ in range(2 * FEW_DESCRIPTORS):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), 5))
            half = stack.enter_context(socket.create_connection(("127.0.0.1", worker.port), 5))
            half.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert httpx.get(f"{worker.url}/health", timeout=5).status_code == 200
        answer = httpx.get(f"https://127.0.0.1:{port}/health", timeout=5, verify=context)
        assert answer.status_code == 200
    assert worker.log.stat().st_size - before < 4_000
    assert worker.log.read_text().count("open connections, the most it may have") <= 4


@pytest.mark.slow
def test_requests_that_never_end_are_closed(worker: WorkerProcess) -> None:
    head = b"POST /connectors HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    for sent, seconds in ((b"GET /", 12), (head + b"Content-Length: 10\r\n\r\n{", 32)):
        with socket.create_connection(("127.0.0.1", worker.port), seconds) as connection:
            connection.sendall(sent)
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(100) == b""
