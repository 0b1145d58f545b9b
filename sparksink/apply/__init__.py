"""Writes the changes of batches to tables."""
