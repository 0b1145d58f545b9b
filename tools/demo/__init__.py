"""The demo: a small shop on a real database, its changes in Kafka, and Delta tables of them."""
