"""Changes → tables, batch by batch."""
