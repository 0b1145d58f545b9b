"""The stored state of a sink."""
