"""librdkafka's own settings that may be set beside the Java client's, and those that never may.

librdkafka can load shared objects, run shell commands and read or write files when a setting
says so, and settings come with REST requests. So its settings are an allow-list by name: each
group says why it is here, and a setting that is in no group is refused.
"""

from __future__ import annotations

from typing import Final

from connector.config import ConfigType
from connector.kafka.client_key import ClientKey

_MAX: Final = (1 << 31) - 1

_CODE: Final = "it makes the Kafka client load native code or run a command"
_JAVA_CODE: Final = "it names a Java class, and leaving it out would weaken the connection"

REFUSED: Final = {
    "plugin.library.paths": _CODE,
    "ssl.engine.location": _CODE,
    "ssl.engine.id": _CODE,
    "ssl.providers": _CODE,
    "sasl.kerberos.kinit.cmd": _CODE,
    "ssl.engine.factory.class": _JAVA_CODE,
    "security.providers": _JAVA_CODE,
}


def _numbers(names: str) -> list[ClientKey]:
    """Read lines of ``name low high``."""
    rows = (line.split() for line in names.strip().splitlines())
    return [ClientKey(name, "LONG", name, int(low), int(high)) for name, low, high in rows]


def _text_keys(kind: ConfigType, names: str) -> list[ClientKey]:
    return [ClientKey(name, kind, name) for name in names.split()]


def _choice(name: str, allowed: str) -> ClientKey:
    return ClientKey(name, "STRING", name, allowed=tuple(allowed.split()))


# Sizes and times of connections: needed on slow or filtered networks, where Java's settings have
# no counterpart or another range.
_CONNECTION: Final = [
    *_numbers("""
        socket.timeout.ms 10 300000
        socket.send.buffer.bytes 0 100000000
        socket.receive.buffer.bytes 0 100000000
        socket.max.fails 0 1000000
        broker.address.ttl 0 86400000
        max.in.flight 1 1000000
        message.max.bytes 1000 1000000000
        message.copy.max.bytes 0 1000000000
        receive.message.max.bytes 1000 2147483647
        topic.metadata.refresh.interval.ms -1 3600000
        topic.metadata.refresh.fast.interval.ms 1 60000
        topic.metadata.propagation.max.ms 0 3600000
    """),
    *_text_keys("BOOLEAN", """socket.keepalive.enable socket.nagle.disable log.connection.close
            topic.metadata.refresh.sparse enable.sparse.connections api.version.request"""),
    *_text_keys("LIST", "metadata.broker.list"),
    _choice("broker.address.family", "any v4 v6"),
]  # fmt: skip

# Credentials and certificates in PEM: what Java keeps in key stores and JAAS lines. The files are
# read as certificates and keys only.
_SECURITY: Final = [
    *_text_keys("STRING", """ssl.ca.location ssl.ca.pem ssl.certificate.location ssl.certificate.pem
            ssl.key.location ssl.crl.location ssl.curves.list ssl.sigalgs.list sasl.username
            sasl.oauthbearer.client.id sasl.oauthbearer.scope sasl.oauthbearer.extensions"""),
    *_text_keys("PASSWORD", "ssl.key.pem sasl.password sasl.oauthbearer.client.secret"),
    *_text_keys("BOOLEAN", "enable.ssl.certificate.verification"),
    _choice("sasl.mechanisms", "PLAIN SCRAM-SHA-256 SCRAM-SHA-512 OAUTHBEARER GSSAPI"),
    _choice("sasl.oauthbearer.method", "default oidc"),
]  # fmt: skip

# Batches, queues and retries: the tuning that librdkafka's documentation recommends.
_PRODUCER: Final = [
    *_numbers(f"""
        queue.buffering.max.messages 1 {_MAX}
        queue.buffering.max.kbytes 1 {_MAX}
        queue.buffering.max.ms 0 900000
        queue.buffering.backpressure.threshold 1 1000000
        sticky.partitioning.linger.ms 0 900000
        batch.num.messages 1 1000000
        compression.level -1 12
        message.send.max.retries 0 {_MAX}
        message.timeout.ms 0 {_MAX}
    """),
    _choice("compression.codec", "none gzip snappy lz4 zstd"),
    _choice("request.required.acks", "all -1 0 1"),
    _choice(
        "partitioner",
        "random consistent consistent_random murmur2 murmur2_random fnv1a fnv1a_random",
    ),
]

# Sizes of what is fetched ahead: they bound the memory of reading large topics.
_CONSUMER: Final = _numbers("""
    queued.min.messages 1 10000000
    queued.max.messages.kbytes 1 2097151
    fetch.wait.max.ms 0 300000
    fetch.queue.backoff.ms 0 300000
    fetch.message.max.bytes 1 1000000000
    fetch.error.backoff.ms 0 300000
""")

LIBRDKAFKA_KEYS: Final = {
    key.name: key for key in [*_CONNECTION, *_SECURITY, *_PRODUCER, *_CONSUMER]
}
