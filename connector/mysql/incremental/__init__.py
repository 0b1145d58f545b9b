"""Reading tables in chunks by key, for incremental snapshots."""
