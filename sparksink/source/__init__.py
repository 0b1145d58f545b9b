"""Where messages come from, and where each topic goes."""
