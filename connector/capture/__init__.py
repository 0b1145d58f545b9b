"""Change capture for any database: no SQL dialect, and Kafka only behind a store's protocol."""
