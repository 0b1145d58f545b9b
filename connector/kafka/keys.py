"""The Java client's settings that users of Connect have, and what each becomes in librdkafka."""

from __future__ import annotations

from typing import Final, Literal

from connector.config import ConfigDef, ConfigKey, ConfigType
from connector.kafka.client_key import JAVA_ONLY, ClientKey

ClientKind = Literal["producer", "consumer", "admin"]
KINDS: Final[tuple[ClientKind, ...]] = ("producer", "consumer", "admin")


def _same(
    name: str, kind: ConfigType, low: int | None = None, high: int | None = None
) -> ClientKey:
    return ClientKey(name, kind, name, low, high)


def _choice(name: str, allowed: str) -> ClientKey:
    return ClientKey(name, "STRING", name, allowed=tuple(allowed.split()))


def _java_only(names: str) -> list[ClientKey]:
    return [ClientKey(name, "STRING", JAVA_ONLY, importance="LOW") for name in names.split()]


_MAX: Final = (1 << 31) - 1

# What `connector.kafka.security` translates: several Java settings make one of librdkafka.
_SECURITY_NAMES: Final[dict[ConfigType, str]] = {
    "STRING": """security.protocol sasl.mechanism ssl.truststore.location ssl.truststore.type
            ssl.truststore.certificates ssl.keystore.location ssl.keystore.type
            ssl.keystore.certificate.chain ssl.endpoint.identification.algorithm
            sasl.oauthbearer.token.endpoint.url sasl.oauthbearer.scope.claim.name
            sasl.login.callback.handler.class sasl.kerberos.service.name""",
    "PASSWORD": """sasl.jaas.config ssl.truststore.password ssl.keystore.password ssl.keystore.key
            ssl.key.password""",
}
SECURITY: Final = [
    ClientKey(name, kind, JAVA_ONLY)
    for kind, names in _SECURITY_NAMES.items()
    for name in names.split()
]

_COMMON: Final = [
    ClientKey("bootstrap.servers", "LIST", "bootstrap.servers", importance="HIGH"),
    _same("client.id", "STRING"),
    _choice("client.dns.lookup", "use_all_dns_ips resolve_canonical_bootstrap_servers_only"),
    _same("metadata.max.age.ms", "LONG", 1, 86_400_000),
    _same("connections.max.idle.ms", "LONG", 0, _MAX),
    _same("reconnect.backoff.ms", "LONG", 0, 3_600_000),
    _same("reconnect.backoff.max.ms", "LONG", 0, 3_600_000),
    _same("retry.backoff.ms", "LONG", 1, 300_000),
    _same("retry.backoff.max.ms", "LONG", 1, 300_000),
    _same("socket.connection.setup.timeout.ms", "LONG", 1000, _MAX),
    ClientKey("send.buffer.bytes", "INT", "socket.send.buffer.bytes", 0, 100_000_000),
    ClientKey("receive.buffer.bytes", "INT", "socket.receive.buffer.bytes", 0, 100_000_000),
    *_java_only(
        """socket.connection.setup.timeout.max.ms metric.reporters metrics.num.samples
        metrics.recording.level metrics.sample.window.ms auto.include.jmx.reporter
        enable.metrics.push interceptor.classes default.api.timeout.ms
        metadata.recovery.strategy metadata.recovery.rebootstrap.trigger.ms config.providers
        ssl.protocol ssl.provider ssl.cipher.suites ssl.enabled.protocols
        ssl.keymanager.algorithm ssl.trustmanager.algorithm ssl.secure.random.implementation
        sasl.client.callback.handler.class sasl.login.class
        sasl.login.connect.timeout.ms sasl.login.read.timeout.ms sasl.login.retry.backoff.ms
        sasl.login.retry.backoff.max.ms sasl.login.refresh.window.factor
        sasl.login.refresh.window.jitter sasl.login.refresh.min.period.seconds
        sasl.login.refresh.buffer.seconds
        sasl.kerberos.ticket.renew.window.factor sasl.kerberos.ticket.renew.jitter
        sasl.kerberos.min.time.before.relogin"""
    ),
    *SECURITY,
]

_PRODUCER: Final = [
    _choice("acks", "all -1 0 1"),
    _same("linger.ms", "LONG", 0, 900_000),
    _same("batch.size", "INT", 1, _MAX),
    _choice("compression.type", "none gzip snappy lz4 zstd"),
    ClientKey("buffer.memory", "LONG", "queue.buffering.max.kbytes", 1, _MAX),
    ClientKey("max.request.size", "INT", "message.max.bytes", 1000, 1_000_000_000),
    _same("max.in.flight.requests.per.connection", "INT", 1, 1_000_000),
    _same("delivery.timeout.ms", "INT", 0, _MAX),
    _same("request.timeout.ms", "INT", 1, 900_000),
    _same("retries", "INT", 0, _MAX),
    _same("enable.idempotence", "BOOLEAN"),
    _same("transactional.id", "STRING"),
    _same("transaction.timeout.ms", "INT", 1000, _MAX),
    ClientKey("compression.gzip.level", "INT", "compression.level", -1, 9),
    ClientKey("compression.lz4.level", "INT", "compression.level", -1, 12),
    *_java_only(
        """max.block.ms key.serializer value.serializer metadata.max.idle.ms
        partitioner.availability.timeout.ms partitioner.adaptive.partitioning.enable
        partitioner.ignore.keys compression.zstd.level transaction.two.phase.commit.enable"""
    ),
]

_CONSUMER: Final = [
    _same("group.id", "STRING"),
    _same("group.instance.id", "STRING"),
    _same("client.rack", "STRING"),
    _choice("auto.offset.reset", "earliest latest"),
    _same("enable.auto.commit", "BOOLEAN"),
    _same("auto.commit.interval.ms", "INT", 0, 86_400_000),
    _choice("isolation.level", "read_uncommitted read_committed"),
    _same("max.poll.interval.ms", "INT", 1, 86_400_000),
    _same("session.timeout.ms", "INT", 1, 3_600_000),
    _same("heartbeat.interval.ms", "INT", 1, 3_600_000),
    _same("fetch.min.bytes", "INT", 1, 100_000_000),
    _same("fetch.max.bytes", "INT", 0, 2_147_483_135),
    _same("max.partition.fetch.bytes", "INT", 1, 1_000_000_000),
    _same("allow.auto.create.topics", "BOOLEAN"),
    _same("check.crcs", "BOOLEAN"),
    ClientKey("fetch.max.wait.ms", "INT", "fetch.wait.max.ms", 0, 300_000),
    ClientKey("request.timeout.ms", "INT", "socket.timeout.ms", 10, 300_000),
    *_java_only(
        """key.deserializer value.deserializer max.poll.records exclude.internal.topics
        partition.assignment.strategy group.protocol group.remote.assignor"""
    ),
]

_ADMIN: Final = [
    ClientKey("request.timeout.ms", "INT", "socket.timeout.ms", 10, 300_000),
    ClientKey("retries", "INT", JAVA_ONLY),
    ClientKey("bootstrap.controllers", "LIST", JAVA_ONLY),
]

_OWN: Final[dict[ClientKind, list[ClientKey]]] = {
    "producer": _PRODUCER,
    "consumer": _CONSUMER,
    "admin": _ADMIN,
}
CLIENT_KEYS: Final = {
    kind: {key.name: key for key in [*_COMMON, *own]} for kind, own in _OWN.items()
}
KNOWN_CLIENT_KEYS: Final = frozenset(name for keys in CLIENT_KEYS.values() for name in keys)


def client_definitions(kind: ClientKind) -> ConfigDef:
    """Return the Java client's settings as definitions, for validating overrides."""
    return ConfigDef(
        ConfigKey(key.name, key.type, None, key.importance, f"Kafka {kind} setting {key.name}.")
        for key in CLIENT_KEYS[kind].values()
    )
