"""What is typed behind a module's name, in a text that is not parsed yet: the same as the parsed text says, or nothing."""

from __future__ import annotations

import pytest
from torch_handbook.source.at_once import slot_at_once
from torch_handbook.source.file import File
from torch_handbook.source.place import Slot
from torch_handbook.source.text import Position, Text

TOP = '''import torch
import torch.nn as nn
import torch.nn.functional as F
import os
import torch.optim as o
try:
    import torch.fft as f
except ImportError:
    f = None
def g(o, x):
    """about torch.nn"""
    return x
'''
SURE = ("torch.", "nn.", "F.re", "x = torch.optim.", "y = g(nn.functional.r", "    z = [torch.nn.Lin", "中 = torch.lin")
UNSURE = ("o.", "f.", "os.", "x.", "g(1).", "'torch.", "# torch.", "import torch.", "from torch.", "torch", "1.", "a.torch.")


def slots(line: str) -> tuple[Slot | None, Slot | None]:
    """What is said at once and what the parsed text says, at the end of a new last line."""
    text = Text(TOP + line)
    place = text.position(len(text.content))
    return slot_at_once(text, place, File.read("x.py", TOP)), File.read("x.py", text.content).slot_at(place)


@pytest.mark.parametrize("line", SURE)
def test_it_is_what_the_parsed_text_says(line: str) -> None:
    found, parsed = slots(line)
    assert found is not None and parsed is not None
    assert (found.kind, found.prefix, found.span, found.owner) == (parsed.kind, parsed.prefix, parsed.span, parsed.owner)


@pytest.mark.parametrize("line", [*UNSURE, '"""\ntorch.', "'''\ntorch."])
def test_what_is_not_sure_waits_for_the_parser(line: str) -> None:
    assert slots(line)[0] is None


def test_a_place_outside_of_the_text_is_nowhere() -> None:
    assert slot_at_once(Text(""), Position(9, 9), File.read("x.py", TOP)) is None
