"""Functions that are walked by themselves: each finds the same whatever was walked before it."""

from __future__ import annotations

import pytest
from test_tensors import interpreted, shapes

pytestmark = pytest.mark.torch

TWO = """
import torch
from torch import nn

def shared(x):
    return x.relu()

class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        y = shared(self.fc(x))
        return y

z = shared(torch.zeros(2, 3, 4))
"""


def test_a_shape_of_any_number_of_axes_keeps_those_that_it_has_in_common_with_another_one() -> None:
    pytest.importorskip("torch")
    from torch_handbook_worker.tensors.notes import ANY, DIFFERENT, join_notes

    def note(*sizes: object) -> tuple[object, ...]:
        return ("tensor", sizes, "float32", "cpu", False, True, None, False, False)

    assert join_notes(note(ANY, 3, 4), note(2, 4)) == note(ANY, 4)
    assert join_notes(note(2, 5, 4), note(ANY, 3, 4)) == note(ANY, "?", 4)
    assert join_notes(note(ANY, 4), note()) == DIFFERENT
    assert join_notes(note(2, 4), note(2, 3, 4)) == DIFFERENT


def test_a_function_that_is_called_with_other_ranks_has_the_axes_that_all_calls_share() -> None:
    found = shapes(TWO, interpreted(TWO))
    assert (found["13:x"], found["14:y"], found["17:z"]) == (["…", 8], ["…", 4], [2, 3, 4])
    assert found["5:x"] == ["…", 4]
