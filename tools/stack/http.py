"""Plain HTTP to servers on this machine."""

from __future__ import annotations

from typing import Final

import httpx

UNVERIFIED: Final = False  # to read the system's certificates takes 20 ms, and HTTP has none
http: Final = httpx.Client(timeout=30, verify=UNVERIFIED)
"""For single requests: a client of its own for each would read the certificates."""
