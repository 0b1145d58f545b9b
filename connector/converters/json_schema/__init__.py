"""JSON Schema: the schemas, and the converters that keep them in a registry."""
