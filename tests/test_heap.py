"""What a parser took is given back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Of what is taken some is kept, so that the rest lies between what is held: the C library gives none of that back by itself.
PROGRAM = """
import threading
from torch_handbook import heap
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
def take():
    blocks = [bytearray(4000) for _ in range(10_000)]
    kept = blocks[::50]
    del blocks
    before = held()
    heap.trim()
    print(before - held())
thread = threading.Thread(target=take)
thread.start()
thread.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such function")
def test_a_thread_gives_back_what_is_free_between_what_it_holds() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) > 5000  # pages, of some 9,800


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch_handbook import heap

    monkeypatch.setattr(sys, "platform", "darwin")
    heap._trimmer.cache_clear()
    heap.trim()
    heap._trimmer.cache_clear()
