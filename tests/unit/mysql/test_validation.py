"""What validation of a connector finds without a server."""

from __future__ import annotations

import pytest

from connector.mysql.connector import MySqlFamily, mariadb, mysql

BASE = {
    "database.hostname": "db",
    "database.user": "u",
    "database.server.id": "184054",
    "topic.prefix": "shop",
}
HISTORY = {
    "schema.history.internal.kafka.topic": "history.shop",
    "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
}


def faults(config: dict[str, str], family: MySqlFamily | None = None) -> dict[str, list[str]]:
    report = (family or mysql()).validate({**BASE, **HISTORY, **config})
    return {name: value.errors for name, value in report.items() if value.errors}


@pytest.mark.parametrize("family", [mysql(), mariadb()], ids=["mysql", "mariadb"])
@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_native_code_from_the_history_settings_is_refused(family: MySqlFamily, kind: str) -> None:
    for name in ("plugin.library.paths", "ssl.engine.location", "sasl.kerberos.kinit.cmd"):
        key = f"schema.history.internal.{kind}.{name}"
        assert faults({key: "/tmp/evil.so"}, family) == {
            key: [
                (
                    f"Client setting {name} is not allowed: it makes the Kafka client load native "
                    "code or run a command."
                )
            ]
        }
