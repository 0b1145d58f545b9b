"""Source offsets: where each connector continues after a restart."""
