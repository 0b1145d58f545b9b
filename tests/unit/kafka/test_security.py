"""SASL and TLS of the Java client in librdkafka's terms."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import Producer
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import ConfigError
from connector.kafka.security import security_config as translate
from tests.fixtures import certificates


def security_config(settings: dict[str, str]) -> dict[str, str | int]:
    """Translate with everything on; the protocol itself is left out of the result."""
    found = translate({"security.protocol": "SASL_SSL", **settings})
    assert found.pop("security.protocol") == "SASL_SSL"
    return found


COMMON = "org.apache.kafka.common.security."


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text())
def test_user_and_password_of_plain_and_scram(user: str, password: str) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    for module in ("plain.PlainLoginModule", "scram.ScramLoginModule"):
        options = f"username={quoted(user)} password={quoted(password)}"
        found = security_config({"sasl.jaas.config": f"{COMMON}{module} required\n {options};"})
        assert found == {"sasl.username": user, "sasl.password": password}


@pytest.mark.parametrize(
    "options", ["username=u password=p", "username='u' password='p'", 'username="u"  password = p']
)
def test_ways_to_quote(options: str) -> None:
    jaas = f"{COMMON}plain.PlainLoginModule required {options} ;"
    assert security_config({"sasl.jaas.config": jaas}) == {
        "sasl.username": "u",
        "sasl.password": "p",
    }


def test_protocol_and_mechanism() -> None:
    settings = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "SCRAM-SHA-512"}
    assert translate(settings) == {**settings, "security.protocol": "SASL_PLAINTEXT"}


def test_what_the_protocol_does_not_use_is_not_looked_at() -> None:
    unusable = {"ssl.keystore.location": "/nope", "sasl.jaas.config": "nonsense"}
    assert translate(unusable) == {}
    assert translate({**unusable, "security.protocol": "PLAINTEXT"}) == {
        "security.protocol": "PLAINTEXT"
    }
    for protocol, fault in (("SSL", "ssl.keystore.location"), ("SASL_PLAINTEXT", "sasl.jaas")):
        with pytest.raises(ConfigError, match=fault):
            translate({**unusable, "security.protocol": protocol})


def test_oauth() -> None:
    found = security_config(
        {
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.oauthbearer.token.endpoint.url": "https://idp/token",
            "sasl.login.callback.handler.class": "ignored",
            "sasl.jaas.config": (
                f"{COMMON}oauthbearer.OAuthBearerLoginModule required clientId='i' "
                "clientSecret='s' scope='x';"
            ),
        }
    )
    assert found == {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.token.endpoint.url": "https://idp/token",
        "sasl.oauthbearer.client.id": "i",
        "sasl.oauthbearer.client.secret": "s",
        "sasl.oauthbearer.scope": "x",
    }


def test_kerberos() -> None:
    module = "com.sun.security.auth.module.Krb5LoginModule"
    jaas = f'{module} required useKeyTab=true keyTab="/k" principal="p@R";'
    found = security_config({"sasl.jaas.config": jaas, "sasl.kerberos.service.name": "kafka"})
    assert found == {
        "sasl.kerberos.service.name": "kafka",
        "sasl.kerberos.keytab": "/k",
        "sasl.kerberos.principal": "p@R",
    }


@pytest.mark.parametrize(
    ("jaas", "fault"),
    [
        ("nonsense", "expected '<login module> required"),
        ("com.example.Vault required a=b;", "login module Vault is not available here"),
        (f"{COMMON}plain.PlainLoginModule required username=s3cret;", "option password is missing"),
        (
            f"{COMMON}oauthbearer.OAuthBearerLoginModule required clientSecret=s3cret;",
            "token.endpoint.url",
        ),
    ],
)
def test_an_unusable_login_is_reported_without_secrets(jaas: str, fault: str) -> None:
    with pytest.raises(ConfigError) as caught:
        security_config({"sasl.jaas.config": jaas})
    assert fault in str(caught.value)
    assert "s3cret" not in str(caught.value)


Certificate = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    own = certificates.identity("localhost")
    return own.certificate, own.key


def _pem(certificate: Certificate) -> tuple[str, str]:
    own, key = certificate
    form = PrivateFormat.PKCS8
    private = key.private_bytes(Encoding.PEM, form, NoEncryption()).decode()
    return own.public_bytes(Encoding.PEM).decode(), private


def test_pem_files(tmp_path: Path, certificate: Certificate) -> None:
    store = tmp_path / "store.pem"
    store.write_text("".join(_pem(certificate)))
    found = security_config(
        {
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(store),
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(store),
            "ssl.key.password": "x",
        }
    )
    assert found == {
        "ssl.ca.location": str(store),
        "ssl.key.password": "x",
        "ssl.certificate.location": str(store),
        "ssl.key.location": str(store),
    }


def test_pem_texts(certificate: Certificate) -> None:
    own, key = _pem(certificate)
    found = security_config(
        {
            "ssl.truststore.certificates": own,
            "ssl.keystore.certificate.chain": own,
            "ssl.keystore.key": key,
        }
    )
    assert found == {"ssl.ca.pem": own, "ssl.certificate.pem": own, "ssl.key.pem": key}
    assert Producer({"log_level": 0, "security.protocol": "SSL", **found}) is not None


def test_a_chain_without_its_key(certificate: Certificate) -> None:
    with pytest.raises(ConfigError, match=r"needs ssl\.keystore\.key beside it"):
        security_config({"ssl.keystore.certificate.chain": _pem(certificate)[0]})


def test_pkcs12_stores(tmp_path: Path, certificate: Certificate) -> None:
    own, key = certificate
    secret = BestAvailableEncryption(b"changeit")
    trust, identity = tmp_path / "trust.jks", tmp_path / "identity.p12"
    trust.write_bytes(pkcs12.serialize_key_and_certificates(b"a", None, None, [own], secret))
    identity.write_bytes(pkcs12.serialize_key_and_certificates(b"a", key, own, None, secret))
    found = security_config(
        {
            "ssl.truststore.location": str(trust),
            "ssl.truststore.password": "changeit",
            "ssl.keystore.location": str(identity),
            "ssl.keystore.password": "changeit",
        }
    )
    assert found == {
        "ssl.ca.pem": _pem(certificate)[0],
        "ssl.keystore.location": str(identity),
        "ssl.keystore.password": "changeit",
    }
    assert Producer({"log_level": 0, "security.protocol": "SSL", **found}) is not None


def test_a_wrong_store_password_is_not_repeated(tmp_path: Path, certificate: Certificate) -> None:
    trust = tmp_path / "trust.p12"
    secret = BestAvailableEncryption(b"changeit")
    trust.write_bytes(
        pkcs12.serialize_key_and_certificates(b"a", None, None, [certificate[0]], secret)
    )
    with pytest.raises(ConfigError, match=r"ssl\.truststore\.password is wrong") as caught:
        security_config(
            {"ssl.truststore.location": str(trust), "ssl.truststore.password": "s3cret"}
        )
    assert "s3cret" not in str(caught.value)


def test_jks_is_refused_with_the_way_out(tmp_path: Path) -> None:
    store = tmp_path / "trust.jks"
    store.write_bytes(b"\xfe\xed\xfe\xed\x00\x00\x00\x02")
    for key in ("ssl.truststore.location", "ssl.keystore.location"):
        with pytest.raises(ConfigError, match=r"JKS stores .* keytool -importkeystore"):
            security_config({key: str(store)})


def test_a_missing_store(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ssl\.keystore\.location: No such file"):
        security_config({"ssl.keystore.location": str(tmp_path / "nope")})


def test_a_kerberos_name_holds_no_shell_command() -> None:
    module = f"{COMMON}kerberos.Krb5LoginModule"
    for option in ('principal="x; touch /tmp/evil"', 'keyTab="$(id)"', 'serviceName="`id`"'):
        with pytest.raises(ConfigError, match="only letters, digits and"):
            security_config({"sasl.jaas.config": f"{module} required {option};"})


def test_a_token_address_is_http() -> None:
    module = f"{COMMON}oauthbearer.OAuthBearerLoginModule"
    with pytest.raises(ConfigError, match="must begin with https:// or http://"):
        security_config(
            {
                "sasl.jaas.config": f"{module} required clientId=a;",
                "sasl.oauthbearer.token.endpoint.url": "file:///etc/passwd",
            }
        )


def test_a_device_is_no_key_store() -> None:
    with pytest.raises(ConfigError, match="not a file of at most 1 MB"):
        security_config({"ssl.truststore.location": "/dev/zero"})


def test_blanks_around_a_value_do_not_count() -> None:
    """A line of a .properties file keeps those at its end; Java's clients trim them."""
    settings = {
        "sasl.mechanism": "PLAIN ",
        "ssl.endpoint.identification.algorithm": " ",
        "ssl.keystore.certificate.chain": "chain ",
        "ssl.keystore.key": " key",
        "ssl.key.password": "secret ",
    }
    assert security_config(settings) == {
        "sasl.mechanism": "PLAIN",
        "ssl.endpoint.identification.algorithm": "none",
        "ssl.certificate.pem": "chain",
        "ssl.key.pem": "key",
        "ssl.key.password": "secret",
    }
