"""A target follows its source's columns."""
