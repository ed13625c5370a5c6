"""What a parser took is given back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import ast, threading
from torch_handbook import heap
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
def parse():
    ast.parse("x = f(a, b, [c, d])\\n" * 20_000)
    before = held()
    heap.trim()
    print(before - held())
thread = threading.Thread(target=parse)
thread.start()
thread.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such function")
def test_a_thread_gives_back_what_its_parser_took() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) > 500  # pages


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch_handbook import heap

    monkeypatch.setattr(sys, "platform", "darwin")
    heap._trimmer.cache_clear()
    heap.trim()
    heap._trimmer.cache_clear()
