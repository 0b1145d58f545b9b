"""Property tests try the same examples in every run, and not too many of them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unit", max_examples=60, derandomize=True, deadline=None)
settings.load_profile("unit")
