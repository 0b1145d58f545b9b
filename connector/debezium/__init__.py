"""Changes become Debezium's events: keys, envelopes, headers, topics."""
