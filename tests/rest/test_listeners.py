"""Several listeners, TLS, cross-origin calls, headers of one's own, and a late broker."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    load_pem_private_key,
    pkcs12,
)

from connector.errors import ConfigError
from restapi.tls import tls_context
from tests.fixtures.worker import WorkerProcess, wait_for
from tests.rest.answers import error
from tests.rest.worker_settings import settings
from tools.stack import KafkaBroker
from tools.stack.ports import free_port


def trusting(pem: Path) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.load_verify_locations(pem)
    return context


def test_http_and_https_side_by_side(broker: KafkaBroker, tmp_path: Path, pem: Path) -> None:
    port = free_port()
    worker = WorkerProcess(tmp_path, broker.address, settings(tmp_path))
    worker.properties |= {
        "listeners": f"{worker.url},https://127.0.0.1:{port}",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(pem),
        "ssl.key.password": "secret",
        "rest.advertised.listener": "https",
    }
    with worker:
        answer = httpx.get(f"https://127.0.0.1:{port}/", verify=trusting(pem))
        assert answer.json() == worker.http.get("/").json()
        assert f"Ready: REST API at https://127.0.0.1:{port}" in worker.log.read_text()


def test_a_pkcs12_key_store(broker: KafkaBroker, tmp_path: Path, pem: Path) -> None:
    content = pem.read_bytes()
    key = load_pem_private_key(content, b"secret")
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    store = tmp_path / "worker.p12"
    store.write_bytes(
        pkcs12.serialize_key_and_certificates(
            b"worker",
            key,
            x509.load_pem_x509_certificate(content),
            None,
            BestAvailableEncryption(b"stored"),
        )
    )
    port = free_port()
    worker = WorkerProcess(tmp_path, broker.address, settings(tmp_path))
    worker.properties |= {
        "listeners": f"{worker.url},https://127.0.0.1:{port}",
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": str(store),
        "ssl.keystore.password": "stored",
        "ssl.key.password": "stored",
    }
    with worker:
        answer = httpx.get(f"https://127.0.0.1:{port}/", verify=trusting(pem))
        assert answer.status_code == 200


def test_the_versions_of_tls_can_be_limited(pem: Path) -> None:
    settings = {"ssl.keystore.location": str(pem), "ssl.key.password": "secret"}
    versions = ssl.TLSVersion
    for listed, expected in {
        "": (versions.TLSv1_2, versions.TLSv1_3),
        " TLSv1.3 ": (versions.TLSv1_3, versions.TLSv1_3),
        "TLSv1.2,TLSv1.1": (versions.TLSv1_2, versions.TLSv1_2),
    }.items():
        context = tls_context({**settings, "ssl.enabled.protocols": listed})
        assert (context.minimum_version, context.maximum_version) == expected
    for listed in ("TLSv1", "TLSv1.2,TLSv2"):
        with pytest.raises(ConfigError, match=r"list TLSv1\.2 or"):
            tls_context({**settings, "ssl.enabled.protocols": listed})


@pytest.mark.parametrize(("host", "warned"), [("", True), ("127.0.0.1", False)])
def test_a_port_that_others_reach_is_warned_of(
    broker: KafkaBroker, tmp_path: Path, host: str, warned: bool
) -> None:
    worker = WorkerProcess(tmp_path, broker.address, settings(tmp_path))
    worker.properties["listeners"] = f"http://{host}:{worker.port}"
    with worker:
        wait_for(lambda: "Ready: REST API" in worker.log.read_text(), 10)
        assert ("controls this worker" in worker.log.read_text()) is warned


def test_certificates_written_in_the_file_and_asked_of_clients(
    broker: KafkaBroker, tmp_path: Path, pem: Path
) -> None:
    text = pem.read_text()
    at = text.index("-----BEGIN CERTIFICATE")
    port = free_port()
    worker = WorkerProcess(tmp_path, broker.address, settings(tmp_path))
    prefix = "listeners.https.ssl."
    worker.properties |= {
        "listeners": f"{worker.url},https://127.0.0.1:{port}",
        prefix + "keystore.type": "PEM",
        prefix + "keystore.key": text[:at].replace("\n", "\\n"),
        prefix + "keystore.certificate.chain": text[at:].replace("\n", "\\n"),
        prefix + "key.password": "secret",
        prefix + "truststore.certificates": text[at:].replace("\n", "\\n"),
        prefix + "client.auth": "required",
        "ssl.keystore.location": "/not/used",
    }
    context = trusting(pem)
    with worker:
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError, httpx.ConnectError)):
            httpx.get(f"https://127.0.0.1:{port}/", verify=context)
        context.load_cert_chain(pem, password="secret")
        assert httpx.get(f"https://127.0.0.1:{port}/", verify=context).status_code == 200


@pytest.mark.parametrize(
    ("properties", "fault"),
    [
        ({}, "An https listener needs ssl.keystore.location (a PEM file or"),
        ({"ssl.keystore.location": "/nope"}, "configuration ssl.keystore.location: No such file"),
        ({"ssl.keystore.location": "PEM", "ssl.key.password": "wrong-s3cret"}, "it must be a PEM"),
        (
            {
                "ssl.keystore.location": "PEM",
                "ssl.key.password": "secret",
                "ssl.client.auth": "maybe",
            },
            "Invalid value maybe for configuration ssl.client.auth",
        ),
    ],
)
def test_tls_that_cannot_work_ends_the_start(
    broker: KafkaBroker, tmp_path: Path, pem: Path, properties: dict[str, str], fault: str
) -> None:
    worker = WorkerProcess(tmp_path, broker.address, settings(tmp_path))
    worker.properties["listeners"] = f"https://127.0.0.1:{worker.port}"
    worker.properties |= {key: text.replace("PEM", str(pem)) for key, text in properties.items()}
    worker.start(wait=False)
    assert worker.wait(30) == 2
    text = worker.log.read_text()
    assert fault in text
    assert "wrong-s3cret" not in text


@pytest.fixture(scope="module")
def wrapped(
    broker: KafkaBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WorkerProcess]:
    """A worker with cross-origin calls, headers and an admin listener."""
    folder = tmp_path_factory.mktemp("wrapped")
    properties = {
        "offset.storage.file.filename": str(folder / "offsets"),
        "access.control.allow.origin": "http://good.example, https://[a-z]+\\\\.fine\\\\.example",
        "access.control.allow.methods": "GET,POST,PUT",
        "response.http.headers.config": (
            'add Cache-Control: no-cache, "set X-Two: a, b", setDate X-Date: 1000, '
            "add X-Frame-Options: DENY"
        ),
        "admin.listeners": f"http://127.0.0.1:{free_port()}",
    }
    with WorkerProcess(folder, broker.address, properties) as worker:
        yield worker


def test_origins_that_are_allowed(wrapped: WorkerProcess) -> None:
    good = wrapped.http.get("/", headers={"Origin": "http://good.example"})
    assert good.headers["access-control-allow-origin"] == "http://good.example"
    bad = wrapped.http.get("/", headers={"Origin": "http://bad.example"})
    assert bad.status_code == 200
    assert "access-control-allow-origin" not in bad.headers


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("HTTP://good.Example", True),
        ("https://a.fine.example", True),
        ("https://a.fine.example.org", False),
        ("http://a.good.example", False),
        ("https://a.finexexample", False),
    ],
)
def test_origins_are_patterns_in_any_case(
    wrapped: WorkerProcess, origin: str, allowed: bool
) -> None:
    answer = wrapped.http.get("/", headers={"Origin": origin})
    assert answer.headers.get("access-control-allow-origin") == (origin if allowed else None)
    changing = wrapped.http.put("/connectors/x/pause", headers={"Origin": origin})
    assert changing.status_code == (404 if allowed else 403)


def test_a_browsers_question_before_a_call(wrapped: WorkerProcess) -> None:
    headers = {
        "Origin": "http://good.example",
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "content-type",
    }
    answer = wrapped.http.options("/connectors", headers=headers)
    assert answer.status_code == 200
    assert "PUT" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-origin"] == "http://good.example"


def test_without_the_setting_no_origin_is_allowed(worker: WorkerProcess) -> None:
    answer = worker.http.get("/", headers={"Origin": "http://good.example"})
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/nope", "/connectors"])
def test_headers_of_every_answer(wrapped: WorkerProcess, path: str) -> None:
    headers = wrapped.http.get(path).headers
    assert headers["cache-control"] == "no-cache"
    assert headers["x-two"] == "a, b"
    assert headers["x-date"] == "Thu, 01 Jan 1970 00:00:01 GMT"
    assert headers["x-frame-options"] == "DENY"


def test_an_admin_listener_takes_the_loggers_with_it(wrapped: WorkerProcess) -> None:
    admin = wrapped.properties["admin.listeners"]
    assert "root" in httpx.get(f"{admin}/admin/loggers").json()
    assert httpx.get(f"{admin}/health").status_code == 200
    assert error(httpx.get(f"{admin}/connectors"))[0] == 404
    assert error(wrapped.http.get("/admin/loggers"))[0] == 404


def test_admin_can_be_switched_off(broker: KafkaBroker, tmp_path: Path) -> None:
    properties = settings(tmp_path, admin_listeners="")
    with WorkerProcess(tmp_path, broker.address, properties) as worker:
        assert error(worker.http.get("/admin/loggers"))[0] == 404
        assert error(worker.http.get("/admin/loggers/root"))[0] == 404
        assert worker.http.get("/health").status_code == 200


def test_a_worker_waits_for_its_broker(tmp_path: Path) -> None:
    worker = WorkerProcess(tmp_path, f"127.0.0.1:{free_port()}", settings(tmp_path))
    worker.start(wait=False)
    wait_for(lambda: "cannot be opened yet" in worker.log.read_text(), 60)
    answer = worker.http.get("/health")
    assert answer.status_code == 503
    assert answer.json()["status"] == "starting"
    assert answer.json()["message"].startswith(
        "Worker is still starting up. The worker is currently initializing and reading to the end "
        "of internal topics, which began at "
    )
    assert worker.http.get("/").json()["kafka_cluster_id"] is None
    with pytest.raises(httpx.ReadTimeout):
        worker.http.get("/connectors", timeout=1)
    assert worker.stop() == 0
