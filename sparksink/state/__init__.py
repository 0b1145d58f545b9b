"""What a sink remembers."""
