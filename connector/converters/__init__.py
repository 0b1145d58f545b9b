"""Converters: Connect values to the bytes of keys and values."""
