"""The one error of the embedded stack."""

from __future__ import annotations


class StackError(Exception):
    """A server cannot be fetched, started or stopped; the message names cause and remedy."""
