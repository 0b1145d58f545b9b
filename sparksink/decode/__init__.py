"""Decodes messages to changes."""
