"""Reads messages, and assigns them to tables."""
