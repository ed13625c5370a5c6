"""What is said of the call that is being typed; "|" is the cursor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from feature_snapshots import at, snapshot
from lsp_editor import connected, profile
from lsprotocol import types as lsp
from torch_handbook.features.signature_help import Help, help_at
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, Text

HEAD = """import torch
import torch.nn.functional as F
from torch import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.rnn = nn.LSTM(1, 2)

    def forward(self, x):
        """


def helped(line: str) -> Help | None:
    return help_at(*help_place(line))


def help_place(line: str) -> tuple[Snapshot, Position]:
    text, place = at(f"{HEAD}{line}\n        return x\n")
    return snapshot(text), place


@pytest.mark.torch
@pytest.mark.parametrize(
    ("line", "name", "argument"),
    [
        ("nn.Conv2d(|", "nn.Conv2d", "in_channels"),
        ("nn.Conv2d(3, |", "nn.Conv2d", "out_channels"),
        ("nn.Conv2d(3, |)", "nn.Conv2d", "out_channels"),
        ("y = nn.Conv2d(3,\n            6, |", "nn.Conv2d", "kernel_size"),
        ("nn.Conv2d(3, [1, 2, |", "nn.Conv2d", "out_channels"),
        ("nn.Conv2d(3, 6, (3, |", "nn.Conv2d", "kernel_size"),
        ("nn.Conv2d(3, 6, 5, padding=|", "nn.Conv2d", "padding=0"),
        ("nn.Conv2d(3, 6, 5, padding_mode='ze|", "nn.Conv2d", "padding_mode='zeros'"),
        ("nn.Conv2d(3, 6, 5, stride=2, |", "nn.Conv2d", "padding=0"),
        ("nn.Sequential(nn.Linear(1, |", "nn.Linear", "out_features"),
        ("nn.Sequential(nn.Linear(1, 2), |", "nn.Sequential", "*args"),
        ("self.conv(|", "nn.Conv2d.forward", "input"),
        ("self.rnn(x, |", "nn.LSTM.forward", "hx=None"),
        ("x.view(1, -1, |", "Tensor.view", "*shape"),
        ("x.to(device=|", "Tensor.to", "device=None"),
        ("torch.sum(x, |", "sum", "dim"),
        ("torch.sum(x, dtype=|", "sum", "dtype=None"),
        ("torch.einsum('ij,jk->ik', x, |", "einsum", "*operands"),
        ("torch.zeros(2, *sizes, |", "zeros", "*size"),
        ("optimizer = optim.SGD(self.parameters(), |", "optim.SGD", "lr=0.001"),
        ("F.interpolate(x, size=(1, |", "nn.functional.interpolate", "size=None"),
    ],
)
def test_the_argument_under_the_cursor(line: str, name: str, argument: str) -> None:
    pytest.importorskip("torch")
    found = helped(line)
    assert found
    way = found.signatures[found.active]
    assert way.label.startswith(f"{name}(") and way.active is not None
    active = way.arguments[way.active]
    assert way.label[active.start : active.end] == argument


OWN = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, channels: int, *, groups=1):
        '''A block.

        Args:
            channels (int): how many come in
        '''
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, groups=groups)

    def forward(self, x, mask=None):
        '''Mixes what is near.

        x: images (N, C, H, W)
        '''
        return self.conv(x).relu()

    @staticmethod
    def halve(x: torch.Tensor, by: float = 0.5) -> torch.Tensor:
        return x * by


class Deep(Block):
    pass


def train(model, loader, *, epochs=1, **options):
    model(loader)


block = Block(3)
y = block(torch.randn(2, 3, 8, 8))
"""


def own(line: str) -> Help | None:
    text, place = at(f"{OWN}{line}\n")
    return help_at(snapshot(text), place)


@pytest.mark.parametrize(
    ("line", "label", "argument"),
    [
        ("block(|", "forward(x, mask=None)", "x"),
        ("block(y, |", "forward(x, mask=None)", "mask=None"),
        ("block(y, mask=|", "forward(x, mask=None)", "mask=None"),
        ("print(torch.relu(y), block(|", "forward(x, mask=None)", "x"),
        ("block.forward(|", "forward(x, mask=None)", "x"),
        ("Block.forward(|", "forward(self, x, mask=None)", "self"),
        ("Deep(3)(|", "forward(x, mask=None)", "x"),
        ("Block(|", "Block(channels: int, *, groups=1)", "channels: int"),
        ("Deep(3, gro|", "Deep(channels: int, *, groups=1)", "groups=1"),
        ("block.halve(y, |", "halve(x: torch.Tensor, by: float = 0.5) -> torch.Tensor", "by: float = 0.5"),
        ("train(block, |", "train(model, loader, *, epochs=1, **options)", "loader"),
        ("train(block, [], lr=|", "train(model, loader, *, epochs=1, **options)", "**options"),
    ],
)
def test_what_the_file_defines_itself(line: str, label: str, argument: str) -> None:
    found = own(line)
    assert found
    (way,) = found.signatures
    assert way.label == label and way.active is not None
    active = way.arguments[way.active]
    assert way.label[active.start : active.end] == argument


def test_own_parameters_are_explained_by_their_docstring() -> None:
    for line, words, about in (
        ("block(|", "images (N, C, H, W)", "Mixes what is near."),
        ("Block(|", "how many come in", "A block."),
    ):
        found = own(line)
        assert found and found.summary == about
        assert found.signatures[0].arguments[0].text == words


@pytest.mark.torch
def test_own_parameters_say_what_they_are_known_to_be() -> None:
    pytest.importorskip("torch")
    before, (after, place) = snapshot(OWN, facts=True), at(OWN + "block(|\n")
    found = help_at(replace(snapshot(after), facts=before.facts), place)
    assert found and found.summary == "Mixes what is near.\n\nReturns `Tensor [2, 3, 8, 8] float32 on cpu`."
    assert found.signatures[0].arguments[0].text == "Here: `Tensor [2, 3, 8, 8] float32 on cpu`.\n\nimages (N, C, H, W)"


@pytest.mark.torch
@pytest.mark.parametrize(
    "line",
    ["print(|", "foo(torch.relu(x), |", "def view(|", "class Sum(|", "# torch.sum(|", "torch.sum(x) |", "x = [1, |", "torch.|"],
)
def test_nothing_is_said_outside_of_calls_that_are_known(line: str) -> None:
    pytest.importorskip("torch")
    assert helped(line) is None


@pytest.mark.torch
@pytest.mark.parametrize("line", ["nn.Conv2d(3, 6, 5, wrong=|", "nn.Linear(1, 2, True, None, None, |", "nn.Conv2d(*sizes, |"])
def test_no_argument_is_pointed_at_where_none_is_known(line: str) -> None:
    pytest.importorskip("torch")
    found = helped(line)
    assert found and found.signatures[found.active].active is None


@pytest.mark.torch
def test_an_argument_is_explained_by_the_handbook_else_by_torch() -> None:
    pytest.importorskip("torch")
    for line, words in (
        ("nn.Conv2d(3, |", "How many filters"),
        ("torch.nansum(x, |", "dimension"),
        ("self.conv(|", "(N, C_in, H, W)"),
    ):
        found = helped(line)
        assert found
        way = found.signatures[found.active]
        texts = [item.text for item in way.arguments]
        assert way.active is not None and words in texts.pop(way.active)
        assert not any(texts)  # the others are asked for when the cursor is there


def test_without_torch_nothing_is_said() -> None:
    text, place = at(HEAD + "nn.Conv2d(3, |")
    assert help_at(snapshot(text, torch=False), place) is None


@pytest.mark.torch
@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["visual-studio-code", "neovim", "emacs"])
async def test_an_editor_is_told_while_typing(tmp_path: Path, name: str) -> None:
    pytest.importorskip("torch")
    async with connected(profile(name), tmp_path, settings={"facts": False}) as editor:
        provider = editor.result.capabilities.signature_help_provider
        assert provider and list(provider.trigger_characters or ()) == ["(", ","]
        buffer = editor.open((tmp_path / "a.py").as_uri(), "import torch\nw = '学😀'; x = torch.nn.Conv2d(3, ")
        params = lsp.SignatureHelpParams(buffer.id, buffer.find("Conv2d(3, ", 10))
        found = await editor.client.text_document_signature_help_async(params)
        assert found and found.active_parameter == 1
        (way,) = found.signatures
        label = (way.parameters or [])[1].label
        assert (way.label[label[0] : label[1]] if isinstance(label, (tuple, list)) else label) == "out_channels"
        buffer.append("6, 5, unheard_of=")
        found = await editor.client.text_document_signature_help_async(lsp.SignatureHelpParams(buffer.id, buffer.whole().end))
        assert found and found.active_parameter == len(found.signatures[0].parameters or [])


@pytest.mark.torch
def test_a_network_that_a_function_is_given_is_called_as_the_worker_saw_it() -> None:
    pytest.importorskip("torch")
    code = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x, mask=None):\n        return x\n"
    code += "def train(model):\n    y = model(torch.ones(3))\n@train(Net())\n"
    before, (after, place) = snapshot(code.replace("@", ""), facts=True), at(code.replace("@", "    model(|)\n"))
    found = help_at(replace(snapshot(after), facts=before.facts.moved(before.text, Text(after))), place)
    assert found and found.signatures[0].label == "forward(x, mask=None)"


@pytest.mark.torch
def test_a_method_of_what_only_the_worker_knows() -> None:
    pytest.importorskip("torch")
    code = "import torch\nfrom torch import nn\ndef f(x, net):\n    y = x\n@f(torch.ones(3), nn.Identity())\n"
    before = snapshot(code.replace("@", ""), facts=True)
    said = {"x.sum(|)": "Tensor.sum(dim", "x.sum(0).view(|)": "Tensor.view(", "x.nothing(|)": None}
    for typed, label in said.items():
        after, place = at(code.replace("@", f"    {typed}\n"))
        found = help_at(replace(snapshot(after), facts=before.facts.moved(before.text, Text(after))), place)
        assert found is None if label is None else found and found.signatures[0].label.startswith(label)


def test_of_a_network_that_nothing_is_known_of_there_is_nothing_to_say() -> None:
    code = "from torch import nn\nclass N(nn.Module):\n    def f(self, c):\n"
    text, place = at(code + "        h = nn.Identity() if c else nn.ReLU()\n        h(|)\n")
    assert help_at(snapshot(text), place) is None
