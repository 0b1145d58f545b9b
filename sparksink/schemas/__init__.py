"""Schemas of messages and tables, and their types in Spark."""
