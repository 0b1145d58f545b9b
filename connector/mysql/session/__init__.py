"""Sessions on the database server: connection, TLS, checks, the protocol."""
