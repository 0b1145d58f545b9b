"""The keys of a worker file, as in Kafka Connect's worker configuration."""

from __future__ import annotations

from typing import Final

from connector.config import ConfigDef, ConfigKey, at_least, non_empty, one_of
from connector.worker.origins import are_origins

_JSON: Final = "org.apache.kafka.connect.json.JsonConverter"
_SIMPLE_HEADERS: Final = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
STORES: Final = ("config", "offset", "status")
_STORE_DEFAULTS: Final = {"config": 1, "offset": 25, "status": 5}

WORKER: Final = ConfigDef(
    [
        ConfigKey(
            "bootstrap.servers",
            "LIST",
            [],
            "HIGH",
            "Kafka brokers to connect to first, as host:port, comma separated.",
        ),
        ConfigKey("key.converter", "CLASS", _JSON, "HIGH", "Converter of record keys."),
        ConfigKey("value.converter", "CLASS", _JSON, "HIGH", "Converter of record values."),
        ConfigKey("header.converter", "CLASS", _SIMPLE_HEADERS, "LOW", "Converter of headers."),
        ConfigKey(
            "offset.storage.file.filename",
            "STRING",
            None,
            "HIGH",
            "File that keeps source offsets; connectors and statuses are kept beside it.",
            validator=non_empty,
        ),
        ConfigKey(
            "group.id",
            "STRING",
            None,
            "HIGH",
            "Name of the worker group whose topics are used.",
            validator=non_empty,
        ),
        *(
            ConfigKey(f"{store}.storage.topic", "STRING", None, "HIGH", f"Topic of {what}.")
            for store, what in (
                ("config", "connector configurations and target states"),
                ("offset", "source offsets"),
                ("status", "statuses of connectors and tasks"),
            )
        ),
        *(
            ConfigKey(
                f"{store}.storage.replication.factor",
                "SHORT",
                3,
                "LOW",
                f"Replicas of the {store} topic when it is created; -1 is the broker's default.",
            )
            for store in STORES
        ),
        *(
            ConfigKey(
                f"{store}.storage.partitions",
                "INT",
                _STORE_DEFAULTS[store],
                "LOW",
                f"Partitions of the {store} topic when it is created; -1 is the broker's default.",
            )
            for store in ("offset", "status")
        ),
        ConfigKey(
            "offset.flush.interval.ms",
            "LONG",
            60_000,
            "LOW",
            "Milliseconds between two commits of source offsets.",
            validator=at_least(1),
        ),
        ConfigKey(
            "offset.flush.timeout.ms",
            "LONG",
            5_000,
            "LOW",
            "Milliseconds to wait for records to be acknowledged before offsets are committed.",
            validator=at_least(1),
        ),
        ConfigKey(
            "task.shutdown.graceful.timeout.ms",
            "LONG",
            5_000,
            "LOW",
            "Milliseconds a task gets to finish when it is stopped.",
            validator=at_least(0),
        ),
        ConfigKey("listeners", "LIST", ["http://:8083"], "LOW", "Addresses of the REST API."),
        ConfigKey(
            "admin.listeners",
            "LIST",
            None,
            "LOW",
            "Addresses of /admin: unset = those of listeners, empty = switched off.",
        ),
        ConfigKey(
            "millrace.rest.max.connections",
            "INT",
            256,
            "LOW",
            "Open connections of a listener; all listeners together take at most half of the "
            "file descriptors.",
            validator=at_least(1),
        ),
        ConfigKey(
            "millrace.rest.max.body.bytes",
            "INT",
            8 << 20,
            "LOW",
            "Size of the largest request body; a larger one is answered with 413.",
            validator=at_least(1),
        ),
        ConfigKey("rest.advertised.host.name", "STRING", None, "LOW", "Host others reach."),
        ConfigKey("rest.advertised.port", "INT", None, "LOW", "Port others reach."),
        ConfigKey(
            "rest.advertised.listener",
            "STRING",
            None,
            "LOW",
            "Which listener others use: http or https.",
            validator=one_of("http", "https"),
        ),
        ConfigKey(
            "access.control.allow.origin",
            "STRING",
            "",
            "LOW",
            "Regular expressions of the origins that browsers may call from, comma separated, "
            "matched as a whole and in any case; * is any, empty is none.",
            validator=are_origins,
        ),
        ConfigKey(
            "access.control.allow.methods",
            "STRING",
            "",
            "LOW",
            "Methods allowed to such origins; empty means GET, POST and HEAD.",
        ),
        ConfigKey(
            "response.http.headers.config",
            "STRING",
            "",
            "LOW",
            "Headers of every response: '[add|set|addDate|setDate] name: value', comma separated.",
        ),
        ConfigKey(
            "connector.client.config.override.policy",
            "STRING",
            "All",
            "LOW",
            "Which producer.override.*, consumer.override.* and admin.override.* keys connectors "
            "may set: All, None, Principal or Allowlist.",
        ),
        ConfigKey(
            "connector.client.config.override.allowlist",
            "LIST",
            [],
            "LOW",
            "Client keys that the Allowlist policy admits.",
        ),
        ConfigKey(
            "topic.creation.enable",
            "BOOLEAN",
            True,
            "LOW",
            "Whether topics of records are created when they do not exist.",
        ),
        ConfigKey(
            "topic.tracking.enable",
            "BOOLEAN",
            True,
            "LOW",
            "Whether the topics a connector writes to are remembered.",
        ),
        ConfigKey(
            "topic.tracking.allow.reset",
            "BOOLEAN",
            True,
            "LOW",
            "Whether the remembered topics may be reset.",
        ),
        ConfigKey(
            "exactly.once.source.support",
            "STRING",
            "disabled",
            "HIGH",
            "Exactly-once delivery of source records; only disabled is available here.",
        ),
        ConfigKey("config.providers", "LIST", [], "LOW", "Names of the config providers."),
        ConfigKey(
            "internal.topics.automatic.creation.enable",
            "BOOLEAN",
            True,
            "LOW",
            "Whether the three storage topics are created when they do not exist.",
        ),
    ]
)
