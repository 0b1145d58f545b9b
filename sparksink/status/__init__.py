"""Metrics, status and lineage of a running sink."""
