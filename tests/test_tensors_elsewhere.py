"""What raises in another file of the workspace is told at the call that leads there."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_tensors import interpreted
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.rule import Finding
from torch_handbook.engine.run import check
from torch_handbook.settings import Settings
from torch_handbook.source.file import File

pytestmark = pytest.mark.torch
MODEL = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.body = nn.Sequential(nn.Linear(width, 64), nn.ReLU())
    def forward(self, x):
        return self.body(x)
    def look(self, picture):
        return self.conv(picture)
def pair(a, b):
    return torch.cat([a, b], 1)
def tried(a, b):
    try:
        return pair(a, b)
    except RuntimeError:
        return None
def each(function, x):
    return function(x)
"""
HEAD = "import torch\nfrom nets.model import Net, each, pair, tried\n"


def told(folder: Path, code: str) -> list[str]:
    (folder / "nets").mkdir(exist_ok=True)
    (folder / "nets" / "model.py").write_text(MODEL)
    text, path = HEAD + code, str(folder / "train.py")
    return [f"{found.span.line}: {found.message}" for found in seen(text, path, folder) if found.id == "raises-in-another-file"]


def seen(text: str, path: str, folder: Path) -> list[Finding]:
    return check(File.read(path, text), Facts(interpreted(text, path, [str(folder)])), Settings())


def test_a_network_that_is_given_another_size(tmp_path: Path) -> None:
    (message,) = told(tmp_path, "net = Net(28 * 28)\nnet(torch.randn(16, 784))\nnet(torch.randn(16, 1, 28, 28))\n")
    words = "self.body(x): Linear takes 784 features, but gets 28 from (16, 1, 28, 28)"
    assert message == f"5: this raises RuntimeError in Net.forward (nets/model.py, line 9): {words}"


def test_methods_and_functions_in_functions_that_are_called(tmp_path: Path) -> None:
    code = "def main(n):\n    net = Net(7)\n    net.look(torch.zeros(n, 1, 9, 9))\n"
    code += "    return pair(torch.ones(2, 3), torch.ones(3, 3))\nmain(5)\n"
    first, second = told(tmp_path, code)
    assert first.startswith("5: ") and "Net.look (nets/model.py, line 11): self.conv(picture): Conv2d takes 3 channels" in first
    assert second.startswith(
        "6: this raises RuntimeError in pair (nets/model.py, line 13): torch.cat([a, b], 1) with (2, 3) and (3, 3): "
    )


def test_what_fits_is_tried_or_hangs_on_a_size_is_not_told(tmp_path: Path) -> None:
    code = (
        "net = Net(10)\nnet(torch.ones(4, 10))\ntried(torch.ones(2, 3), torch.ones(3, 3))\n"
        "def f(x, width):\n    Net(width)(torch.ones(3, 4))\n    net(x)\n"
        "try:\n    net(torch.ones(4, 11))\nexcept RuntimeError:\n    pass\n"
        "if input():\n    net(torch.ones(4, 11))\n"
    )
    assert told(tmp_path, code) == []


def test_code_of_this_file_that_another_one_calls_is_told_where_it_stands(tmp_path: Path) -> None:
    code = "def wrong(x):\n    return x @ x\neach(wrong, torch.ones(2, 3))\n"
    assert told(tmp_path, code) == []
    text = HEAD + code
    assert [found.span.line for found in seen(text, str(tmp_path / "train.py"), tmp_path)] == [4]
