"""Messages → changes."""
