"""Where a name of torch leads to; "|" is the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest
from feature_snapshots import at, snapshot
from lsp_editor import connected, profile
from lsprotocol import types as lsp
from torch_handbook.features.definition import definition

HEAD = """import torch
import torch.nn.functional as F
from torch import nn, optim


class Net(nn.Module):
    def forward(self, x):
        """
FOUND = [
    ("nn.Conv|2d(1, 2, 3)", "nn/modules/conv.py", "class Conv2d("),
    ("nn.Conv2d(1, 2, 3, padd|ing=1)", "nn/modules/conv.py", "class Conv2d("),
    ("F.re|lu(x)", "nn/functional.py", "def relu("),
    ("torch.su|m(x)", "_C/_VariableFunctions.pyi", "def sum("),
    ("x.vie|w(1)", ".pyi", "def view("),
    ("self.trai|n()", "nn/modules/module.py", "def train("),
    ("self.train|ing", "nn/modules/module.py", "training"),
    ("optim.Ada|m([])", "optim/adam.py", "class Adam("),
    ("torch.no_gr|ad()", "autograd/grad_mode.py", "class no_grad("),
    ("torch.autograd.gr|ad(x, x)", "autograd/__init__.py", "def grad("),
    ("n|n.Linear(1, 2)", "nn/__init__.py", ""),
]


@pytest.mark.torch
@pytest.mark.parametrize(("line", "path", "words"), FOUND)
def test_it_leads_to_the_source_of_the_installed_torch(line: str, path: str, words: str) -> None:
    pytest.importorskip("torch")
    text, place = at(f"{HEAD}{line}\n")
    found = definition(snapshot(text), place)
    assert found and found.path.as_posix().endswith(path)
    source = found.path.read_text("utf-8").split("\n")[found.line - 1]
    assert words in source
    assert not words or source[found.start : found.end] in words


@pytest.mark.torch
@pytest.mark.parametrize("line", ["y = |x", "print|(x)", "|Net()", "'|torch'", "# torch.su|m"])
def test_what_is_not_torch_is_left_to_others(line: str) -> None:
    pytest.importorskip("torch")
    text, place = at(f"{HEAD}{line}\n")
    assert definition(snapshot(text), place) is None


def test_without_torch_there_is_no_source() -> None:
    text, place = at(HEAD + "torch.su|m(x)\n")
    assert definition(snapshot(text, torch=False), place) is None


@pytest.mark.torch
@pytest.mark.asyncio
async def test_an_editor_opens_it(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    async with connected(profile("neovim"), tmp_path, settings={"facts": False}) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), "from torch import nn\nnn.Linear(1, 2)\n")
        params = lsp.DefinitionParams(buffer.id, buffer.find("Lin|ear"))
        found = await editor.client.text_document_definition_async(params)
        assert isinstance(found, lsp.Location) and found.uri.endswith("/torch/nn/modules/linear.py")
