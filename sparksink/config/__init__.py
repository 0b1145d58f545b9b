"""The configuration of a sink: its keys, and the file that holds them."""
