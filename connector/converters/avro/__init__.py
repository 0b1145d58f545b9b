"""Avro: the schemas, the bytes, and the converters of the registries."""
