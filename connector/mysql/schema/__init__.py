"""The tables of the server, tracked through its definitions and DDL."""
