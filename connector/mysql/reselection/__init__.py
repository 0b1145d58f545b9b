"""Values that a log event lacks, read again from their table."""
