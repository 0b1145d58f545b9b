"""The REST API of Kafka Connect, answer for answer. The only package that imports FastAPI."""
