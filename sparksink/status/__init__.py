"""What a sink tells of itself while it runs."""
