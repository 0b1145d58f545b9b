"""The Spark sink: change topics become tables that converge to the source's contents."""
