"""The configuration that both workers get."""

from __future__ import annotations

MYSQL = "io.debezium.connector.mysql.MySqlConnector"
