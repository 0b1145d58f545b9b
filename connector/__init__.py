"""The change-data-capture daemon: databases in, Debezium events out, driven as Kafka Connect is."""
