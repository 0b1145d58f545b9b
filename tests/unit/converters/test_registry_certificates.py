"""Which certificates of a registry are trusted."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    NoEncryption,
    load_pem_private_key,
    pkcs12,
)

from connector.converters.avro.confluent import AvroConverter
from connector.data.schema import INT32
from connector.errors import ConfigError, RegistryUnavailableError
from tests.fixtures.certificates import identity
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry

URL = "schema.registry.url"
TRUST = "schema.registry.ssl.truststore.location"
WRITTEN = bytes.fromhex("00 00000007 02")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key and a certificate for 127.0.0.1 that no authority has signed."""
    own = identity("registry", address="127.0.0.1")
    found = tmp_path_factory.mktemp("certificates")
    (found / "key.pem").write_bytes(own.key_pem())
    (found / "certificate.pem").write_bytes(own.certificate_pem)
    return found


@pytest.fixture
def registry(folder: Path) -> Iterator[ScriptedRegistry]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    with scripted_registry(context) as served:
        yield served


@pytest.mark.parametrize("scheme", ["https", "HTTPS", "Https"])
def test_an_unknown_certificate_is_not_trusted(registry: ScriptedRegistry, scheme: str) -> None:
    avro = AvroConverter({URL: f"{scheme}://{registry.address}"})
    with pytest.raises(RegistryUnavailableError, match=r"ConnectError, self-signed certificate$"):
        avro.from_connect("t", INT32, 1)
    assert registry.requests == []


@pytest.mark.parametrize("comment", ["", "# Főtanúsítvány\n"])
def test_a_trusted_certificate(
    registry: ScriptedRegistry, folder: Path, tmp_path: Path, comment: str
) -> None:
    store = tmp_path / "trusted.pem"
    store.write_bytes(comment.encode() + (folder / "certificate.pem").read_bytes())
    avro = AvroConverter({URL: f"https://{registry.address}", TRUST: str(store)})
    assert avro.from_connect("t", INT32, 1) == WRITTEN


def test_a_trust_store_without_certificate_is_refused(folder: Path, tmp_path: Path) -> None:
    key = load_pem_private_key((folder / "key.pem").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    content = pkcs12.serialize_key_and_certificates(None, key, None, None, NoEncryption())
    (tmp_path / "store.p12").write_bytes(content)
    with pytest.raises(ConfigError, match=r"ssl.truststore.location: it holds no certificate"):
        AvroConverter({URL: "https://r", TRUST: str(tmp_path / "store.p12")})
    with pytest.raises(ConfigError, match=r"ssl.truststore.location: it holds no certificate"):
        AvroConverter({URL: "https://r", TRUST: str(folder / "key.pem")})
