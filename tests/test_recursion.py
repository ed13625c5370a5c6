"""A function that calls itself in many places is read once, not along every way through its calls."""

from __future__ import annotations

from torch_handbook.engine.facts import Facts
from torch_handbook.engine.registry import rules
from torch_handbook.engine.run import check
from torch_handbook.settings import Settings
from torch_handbook.source.file import File

CALLS = ", ".join(f"deep(x + {number})" for number in range(12))
SCRIPT = f"import torch\n\n\ndef deep(x):\n    if x > 0:\n        return [{CALLS}]\n    return 1 - x\n\n\ndeep(torch.zeros(3))\n"


def test_a_function_that_calls_itself_often_is_checked_at_once() -> None:
    # Twelve to the sixteenth ways, if all were walked.
    found = check(File.read("f.py", SCRIPT), Facts.none(), Settings(), rules())
    assert [finding.id for finding in found] == []
