"""What can be typed at a place, in text that is broken there. `|` stands for the cursor."""

from __future__ import annotations

import pytest
from torch_handbook.source.file import File
from torch_handbook.source.place import Slot

BEFORE = """import torch
import torch.nn.functional as F
from torch import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)

    def forward(self, x):
        x = self.conv(x)
        LINE
        return x.mean()


def train(model: nn.Module, loader):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for images, labels in loader:
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
"""


def slots(line: str) -> list[Slot | None]:
    """The slot in a text that is read at once, and after the whole text was known."""
    known = File.read("x.py", BEFORE.replace("LINE", "pass"))
    content = BEFORE.replace("LINE", line.replace("\n", "\n        "))
    found: list[Slot | None] = []
    for previous in (None, known):
        file = File.read("x.py", content.replace("|", "", 1), previous)
        found.append(file.slot_at(file.text.position(content.index("|"))))
    return found


MEMBERS = [
    ("torch.|", "torch", ""),
    ("y = torch.nn.|", "torch.nn", ""),
    ("y = nn.functional.re|", "torch.nn.functional", "re"),
    ("F.re|lu(x)", "torch.nn.functional", "re"),
    ("x.vi|", "torch.Tensor", "vi"),
    ("y = x.view(1).|", "torch.Tensor", ""),
    ("y = (x + 1).|", "torch.Tensor", ""),
    ("y = x[:, 0].|", "torch.Tensor", ""),
    ("y = self.|", "torch.nn.Module", ""),
    ("y = self.conv.|", "torch.nn.Module", ""),
    ("y = self.conv(x).|", "torch.Tensor", ""),
    ("y = F.relu(torch.|", "torch", ""),
    ("y = F.relu(x, inplace=torch.|", "torch", ""),
    ("y = [torch.ones(3).|", "torch.Tensor", ""),
    ("y = (torch.ones(3)\n    .view(1)\n    .|", "torch.Tensor", ""),
    ("for y in torch.|", "torch", ""),
    ("if x.|", "torch.Tensor", ""),
    ("return x.|", "torch.Tensor", ""),
    ("@torch.|", "torch", ""),
    ("'中😀'; torch.|", "torch", ""),
    ("y = unknown.|", None, ""),
]


@pytest.mark.parametrize(("line", "owner", "prefix"), MEMBERS)
def test_members(line: str, owner: str | None, prefix: str) -> None:
    for slot in slots(line):
        assert slot is not None
        assert (slot.kind, slot.owner, slot.prefix) == ("member", owner, prefix)
        assert slot.receiver is not None


ARGUMENTS = [
    ("F.cross_entropy(x, 1, |", "torch.nn.functional.cross_entropy", "", set(), 2),
    ("F.cross_entropy(x, 1, redu|", "torch.nn.functional.cross_entropy", "redu", set(), 2),
    ("F.cross_entropy(x, weight=3, |", "torch.nn.functional.cross_entropy", "", {"weight"}, 2),
    ("F.cross_entropy(x, |, weight=3)", "torch.nn.functional.cross_entropy", "", {"weight"}, 1),
    ("F.cross_entropy(x, |weight=3)", "torch.nn.functional.cross_entropy", "", {"weight"}, 1),
    ("F.relu(F.relu(x), |", "torch.nn.functional.relu", "", set(), 1),
    ("F.relu(max(x, 3), (1, 2), |", "torch.nn.functional.relu", "", set(), 2),
    ("y = nn.Conv2d(3,\n    kernel_size=3, pad|", "torch.nn.Conv2d", "pad", {"kernel_size"}, 2),
    ("y = nn.Conv2d(3, # a comment, with a comma\n    |", "torch.nn.Conv2d", "", set(), 1),
    ("F.relu(x, |\ny = torch.sum(x, dim=1)", "torch.nn.functional.relu", "", set(), 1),
    ("x.view(|", "torch.Tensor.view", "", set(), 0),
    ("self.conv(|", "torch.nn.Conv2d.forward", "", set(), 0),
]


@pytest.mark.parametrize(("line", "call", "prefix", "given", "index"), ARGUMENTS)
def test_arguments(line: str, call: str, prefix: str, given: set[str], index: int) -> None:
    for slot in slots(line):
        assert slot is not None
        assert (slot.kind, slot.call, slot.prefix, slot.given, slot.index) == ("argument", call, prefix, given, index)


VALUES = [
    ('F.cross_entropy(x, 1, reduction="|', "torch.nn.functional.cross_entropy", "reduction", ""),
    ("F.cross_entropy(x, 1, reduction='me|'", "torch.nn.functional.cross_entropy", "reduction", "me"),
    ("y = nn.Conv2d(1, 2, 3, padding='|same')", "torch.nn.Conv2d", "padding", ""),
    ("torch.einsum('ij,|", "torch.einsum", None, "ij,"),
]


@pytest.mark.parametrize(("line", "call", "keyword", "prefix"), VALUES)
def test_values(line: str, call: str, keyword: str | None, prefix: str) -> None:
    for slot in slots(line):
        assert slot is not None
        assert (slot.kind, slot.call, slot.keyword, slot.prefix) == ("value", call, keyword, prefix)


IMPORTS = [
    ("import tor|", None, "tor"),
    ("import torch.nn.|", "torch.nn", ""),
    ("import numpy, torch.ut|", "torch", "ut"),
    ("from torch.ut|", "torch", "ut"),
    ("from torch.nn import Li|", "torch.nn", "Li"),
    ("from torch.nn import Conv2d, |", "torch.nn", ""),
    ("from torch.nn import (Conv2d,\n    Li|", "torch.nn", "Li"),
]


@pytest.mark.parametrize(("line", "owner", "prefix"), IMPORTS)
def test_imports(line: str, owner: str | None, prefix: str) -> None:
    for slot in slots(line):
        assert slot is not None
        kind = "import" if " import " in line else "module"
        assert (slot.kind, slot.owner, slot.prefix) == (kind, owner, prefix)


@pytest.mark.parametrize("line", ["# torch.|", "y = 3.|", "y = 'torch.|'", "y = '''torch.|'''", "y = 1e3|"])
def test_nothing_can_be_typed_there(line: str) -> None:
    assert slots(line) == [None, None]


def test_a_plain_name() -> None:
    for slot in slots("y = DataL|"):
        assert slot is not None
        assert (slot.kind, slot.prefix, slot.span) == ("name", "DataL", (13, 12, 13, 17))


def test_the_span_is_the_prefix_in_bytes() -> None:
    for slot in slots("'中😀'; torch.re|"):
        assert slot is not None
        assert slot.span == (13, 25, 13, 27)


def test_every_place_of_a_file_has_an_answer() -> None:
    content = BEFORE.replace("LINE", "y = F.relu(x, inplace=True)")
    file = File.read("x.py", content)
    for offset in range(len(content) + 1):
        file.slot_at(file.text.position(offset))
        cut = File.read("x.py", content[:offset])
        cut.slot_at(cut.text.position(offset))
        cut.place_at(cut.text.position(offset))
