"""Signals: requests that reach a running capture through a table, a topic or a file."""
