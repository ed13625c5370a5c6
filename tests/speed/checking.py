"""What `check` costs: processor seconds of whole runs, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

CHECK = (sys.executable, "-m", "torch_handbook", "check", "--no-facts", "--output-format", "json")


def seconds(path: Path, environment: Mapping[str, str]) -> float:
    """Processor seconds, those of the system included, of one run."""
    before = os.times()
    subprocess.run([*CHECK, str(path)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def lines(path: Path) -> int:
    """How many lines of Python lie below a folder."""
    return sum(file.read_bytes().count(b"\n") for file in path.rglob("*.py"))
