"""The benchmark: the same work for Millrace and for Kafka Connect with Debezium."""
