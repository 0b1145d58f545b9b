"""Single message transforms."""
