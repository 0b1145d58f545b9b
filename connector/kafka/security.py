"""Java's SASL and TLS settings → librdkafka's.

Java puts credentials into a JAAS line and certificates into key stores; librdkafka needs
plain settings and PEM. PEM and PKCS#12 stores are read, JKS stores are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from connector.config import one_of
from connector.errors import ConfigError
from connector.kafka.key_stores import is_pem, trusted_pem

_JAAS: Final = re.compile(r"\s*(?P<module>[\w.$]+)\s+\w+\s*(?P<options>.*?)\s*;?\s*", re.DOTALL)
_OPTION: Final = re.compile(r"""([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;"']+))""")
_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
# librdkafka puts both into a shell command that renews the ticket.
_KERBEROS: Final = re.compile(r"[\w./@:+=-]+", re.ASCII)


def security_config(properties: Mapping[str, str]) -> dict[str, str | int]:
    """Translate ``security.protocol``, and of ``sasl.*`` and ``ssl.*`` what the protocol uses.

    As in Java the rest is not even looked at: a worker may have a key store for its REST API
    beside a plain connection to Kafka.

    :raises ConfigError: a login module or a key store that cannot be used here.
    """
    properties = {name: text.strip(" \t") for name, text in properties.items()}  # as in Java
    protocol = properties.get("security.protocol", "").upper()
    if protocol and (fault := one_of(*_PROTOCOLS)("security.protocol", protocol)):
        raise ConfigError(fault)
    config: dict[str, str | int] = {"security.protocol": protocol} if protocol else {}
    if protocol.startswith("SASL_"):
        config |= _sasl(properties)
    if protocol.endswith("SSL"):
        config |= _tls(properties)
    return config


def _sasl(properties: Mapping[str, str]) -> dict[str, str | int]:
    names = ("sasl.mechanism", "sasl.kerberos.service.name")
    config: dict[str, str | int] = {
        name: properties[name] for name in names if properties.get(name)
    }
    if "sasl.kerberos.service.name" in config:
        _check_kerberos(names[1], str(config[names[1]]))
    jaas = properties.get("sasl.jaas.config")
    return config | (_login(jaas, properties) if jaas else {})


def _tls(properties: Mapping[str, str]) -> dict[str, str | int]:
    config = _trust(properties) | _identity(properties)
    algorithm = properties.get("ssl.endpoint.identification.algorithm")
    if algorithm is not None:
        config["ssl.endpoint.identification.algorithm"] = algorithm or "none"
    return config


def _login(jaas: str, properties: Mapping[str, str]) -> dict[str, str | int]:
    match = _JAAS.fullmatch(jaas)
    if match is None:
        raise ConfigError(
            "Invalid value for configuration sasl.jaas.config: expected "
            "'<login module> required <option>=\"<value>\" …;'."
        )
    options = {
        name: re.sub(r"\\(.)", r"\1", quoted) if quoted else single or bare
        for name, quoted, single, bare in _OPTION.findall(match["options"])
    }
    module = match["module"].rpartition(".")[2]
    read = _MODULES.get(module)
    if read is None:
        raise ConfigError(
            f"Invalid value for configuration sasl.jaas.config: the login module {module} is not "
            f"available here; use one of {', '.join(_MODULES)}."
        )
    return read(options, properties)


def _password(options: Mapping[str, str], _: Mapping[str, str]) -> dict[str, str | int]:
    missing = [name for name in ("username", "password") if name not in options]
    if missing:
        raise ConfigError(
            f"Invalid value for configuration sasl.jaas.config: the option {missing[0]} is missing."
        )
    return {"sasl.username": options["username"], "sasl.password": options["password"]}


def _oauth(options: Mapping[str, str], properties: Mapping[str, str]) -> dict[str, str | int]:
    url = properties.get("sasl.oauthbearer.token.endpoint.url")
    if not url:
        raise ConfigError(
            "OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url, the address that gives tokens."
        )
    if not url.lower().startswith(("https://", "http://")):
        raise ConfigError(
            "Invalid value for configuration sasl.oauthbearer.token.endpoint.url: the address "
            "must begin with https:// or http://."
        )
    config: dict[str, str | int] = {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.token.endpoint.url": url,
        "sasl.oauthbearer.client.id": options.get("clientId", ""),
        "sasl.oauthbearer.client.secret": options.get("clientSecret", ""),
    }
    return config | ({"sasl.oauthbearer.scope": options["scope"]} if "scope" in options else {})


def _kerberos(options: Mapping[str, str], _: Mapping[str, str]) -> dict[str, str | int]:
    names = {"keyTab": "sasl.kerberos.keytab", "principal": "sasl.kerberos.principal"}
    config: dict[str, str | int] = {
        names[name]: text for name, text in options.items() if name in names
    }
    if "serviceName" in options:
        config["sasl.kerberos.service.name"] = options["serviceName"]
    for name, text in config.items():
        _check_kerberos(name, str(text))
    return config


def _check_kerberos(name: str, text: str) -> None:
    if not _KERBEROS.fullmatch(text):
        raise ConfigError(
            f"Invalid value for configuration {name}: only letters, digits and . / @ : + = _ - "
            "are allowed."
        )


_MODULES: Final[
    dict[str, Callable[[Mapping[str, str], Mapping[str, str]], dict[str, str | int]]]
] = {
    "PlainLoginModule": _password,
    "ScramLoginModule": _password,
    "OAuthBearerLoginModule": _oauth,
    "Krb5LoginModule": _kerberos,
}


def _trust(properties: Mapping[str, str]) -> dict[str, str | int]:
    """Return the certificates that brokers are checked against."""
    if properties.get("ssl.truststore.certificates"):
        return {"ssl.ca.pem": properties["ssl.truststore.certificates"]}
    location = properties.get("ssl.truststore.location")
    if not location:
        return {}
    if is_pem("ssl.truststore.location", location):
        return {"ssl.ca.location": location}
    return {"ssl.ca.pem": trusted_pem(location, properties.get("ssl.truststore.password"))}


def _identity(properties: Mapping[str, str]) -> dict[str, str | int]:
    """Return the certificate and key that this client shows."""
    config: dict[str, str | int] = {}
    if properties.get("ssl.key.password"):
        config["ssl.key.password"] = properties["ssl.key.password"]
    if properties.get("ssl.keystore.certificate.chain"):
        chain, key = "ssl.keystore.certificate.chain", "ssl.keystore.key"
        if not properties.get(key):
            raise ConfigError(f"{chain} needs {key} beside it: the private key in PEM.")
        return config | {"ssl.certificate.pem": properties[chain], "ssl.key.pem": properties[key]}
    location = properties.get("ssl.keystore.location")
    if not location:
        return config
    if is_pem("ssl.keystore.location", location):
        return config | {"ssl.certificate.location": location, "ssl.key.location": location}
    config["ssl.keystore.location"] = location
    config["ssl.keystore.password"] = properties.get("ssl.keystore.password", "")
    return config
