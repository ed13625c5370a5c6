"""Memory that nobody uses any more goes back to the system: the C library keeps it, in each thread, for what may come."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache


def trim() -> None:
    """Give back what the parser took for a long file, many times the size of its text. Takes a millisecond."""
    _trimmer()(0)


@cache
def _trimmer() -> Callable[[int], object]:
    """The function of glibc; other systems give back by themselves, or have no such function."""
    if sys.platform != "linux":
        return lambda kept: None
    import ctypes

    return getattr(ctypes.CDLL(None), "malloc_trim", lambda kept: None)
