"""What is told of modules: those inside a container, and what several modules of one class have in common at one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from torch_handbook_worker.protocol import InterpretRequest, ModuleFact
from torch_handbook_worker.tensors.program import interpret

pytestmark = pytest.mark.torch
HEAD = "import torch\nfrom torch import nn\n"
BLOCK = """class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)
    def forward(self, x):
        return self.fc(x)
"""


def modules(text: str, folder: Path | None = None) -> dict[str, Any]:
    """The facts of modules by the words that stand there; of words that stand in several places the last."""
    path = (folder or Path("/workspace")) / "net.py"
    found = interpret(InterpretRequest(str(path), text, [str(path.parent)], seconds=60.0))
    lines = text.split("\n")
    rows = [row for row in found.facts if isinstance(row.fact, ModuleFact) and row.span[0] == row.span[2]]
    return {lines[row.span[0] - 1][row.span[1] : row.span[3]]: row.fact for row in rows}


def test_the_modules_inside_a_container_are_told() -> None:
    text = f"{HEAD}{BLOCK}net = nn.ModuleDict({{'a': nn.ModuleList([Block(3)]), 'b': nn.ReLU()}})\nnet\n"
    assert modules(text)["net"].parts == {
        "a": "torch.nn.ModuleList",
        "b": "torch.nn.ReLU",
        "a.0": "Block",
        "a.0.fc": "torch.nn.Linear",
    }


def test_of_a_class_of_this_file_they_stand_there() -> None:
    assert modules(f"{HEAD}{BLOCK}net = Block(3)\nnet\n")["net"].parts == {}


def test_of_a_class_of_another_file_they_are_told(tmp_path: Path) -> None:
    (tmp_path / "blocks.py").write_text(HEAD + BLOCK)
    assert modules("from blocks import Block\nnet = Block(3)\nnet\n", tmp_path)["net"].parts == {"fc": "torch.nn.Linear"}


def test_a_module_that_is_inside_twice_and_one_that_is_inside_itself_end() -> None:
    text = f"{HEAD}fc = nn.Linear(2, 2)\nnet = nn.ModuleList([fc, fc])\nnet.extend([net])\nnet\n"
    assert modules(text)["net"].parts == {"0": "torch.nn.Linear"}


@pytest.mark.parametrize(
    ("items", "wanted"),
    [
        ("Block(3), Block(3)", ("Block", 12, "Block(fc)")),
        ("Block(3), Block(4)", ("Block", None, "Block(fc)")),
        ("nn.Linear(3, 3), nn.Linear(3, 4)", ("torch.nn.Linear", None, "")),
        ("nn.Linear(3, 3), nn.ReLU()", None),
    ],
)
def test_a_loop_over_modules_sees_what_they_have_in_common(items: str, wanted: Any) -> None:
    text = f"{HEAD}{BLOCK}layers = nn.ModuleList([{items}])\nfor layer in layers:\n    layer.train()\n"
    fact = modules(text).get("layer")
    assert (fact and (fact.type, fact.parameters, fact.text)) == wanted


def test_shapes_that_differ_are_free() -> None:
    loop = "for n, layer in enumerate(layers):\n    layer(torch.ones(2, n + 1))\n"
    text = f"{HEAD}layers = nn.ModuleList([nn.ReLU(), nn.ReLU()])\n{loop}"
    assert modules(text)["layer"].input == [2, "?"]


def test_what_a_class_that_is_made_in_two_ways_has_is_told_as_far_as_it_is_the_same() -> None:
    text = f"{HEAD}{BLOCK}one, other = Block(3), Block(4)\none(torch.ones(2, 3)), other(torch.ones(2, 4))\n"
    fact = modules(text)["self.fc"]
    assert (fact.type, fact.text, fact.parameters) == (
        "torch.nn.Linear",
        "Linear(in_features=d, out_features=d, bias=True)",
        None,
    )
