"""Positions in the binary log: coordinates, GTIDs, epochs, what the log still holds."""
