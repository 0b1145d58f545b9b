"""The binary log: from the dump connection to decoded row images."""
