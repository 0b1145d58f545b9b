"""The demo: a small shop on a real database, and its changes as they arrive in Kafka."""
