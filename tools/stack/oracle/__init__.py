"""The plugins of the oracle: Debezium with what its converters and transforms can load."""
