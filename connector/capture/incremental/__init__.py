"""Incremental snapshots: tables read in chunks while the log is streamed."""
