"""Protobuf: schemas, encoding, and the converter that keeps the schemas in a registry."""
