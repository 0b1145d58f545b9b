"""The worker, as Kafka Connect has it: connectors, configurations, statuses and offsets."""
