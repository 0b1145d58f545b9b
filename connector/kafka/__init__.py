"""The door to Kafka: the only package that imports confluent_kafka.

Settings come in the Java client's names, as Connect users have them, and are translated to
librdkafka's by `connector.kafka.config.client_config`.
"""
