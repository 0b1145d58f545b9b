"""Settings of glibc's allocator. Other C libraries have no such settings."""

from __future__ import annotations

import ctypes
from typing import Final

_MXFAST, _TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = 1, -1, -2, -3, -8
_QUEUE: Final = 9 << 20
"""A little more than the producer's queue: librdkafka allocates room for all that is in the queue
whenever it writes a request."""


def tune() -> None:
    """Keep what is needed again in a moment.

    One thread makes messages and librdkafka's threads free them: each further arena would hold its
    own share of free memory, up to 50 MB in all. By default the end of the heap goes back to the
    kernel whenever 128 kB of it are free, with a message or two: in a loop that kept what it
    encoded, a text of 230 bytes cost 2.2 µs so and 0.3 µs without. A request's room fresh from the
    kernel each time costs 2 µs a message of 3 kB. Larger blocks, such as the values of huge rows,
    go back at once: among the small blocks of the heap each would leave a hole of its size.
    Free blocks of up to 128 bytes join the free memory around them at once: glibc keeps them apart,
    until a block above 1 kB is requested, as for most messages, and then visits all of them.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 2)
        mallopt(_MXFAST, 0)
        mallopt(_TRIM_THRESHOLD, 32 << 20)
        mallopt(_TOP_PAD, 1 << 20)
        mallopt(_MMAP_THRESHOLD, _QUEUE)


def trim() -> None:
    """Give all free memory back to the kernel."""
    malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if malloc_trim is not None:
        malloc_trim(0)
