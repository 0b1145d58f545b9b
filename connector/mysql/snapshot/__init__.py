"""The snapshot: locks, definitions, rows."""
