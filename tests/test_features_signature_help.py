"""What is said of the call that is being typed; "|" is the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest
from feature_snapshots import at, snapshot
from lsp_editor import connected, profile
from lsprotocol import types as lsp
from torch_handbook.features.signature_help import Help, help_at
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position

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


@pytest.mark.torch
@pytest.mark.parametrize(
    "line",
    ["print(|", "foo(torch.relu(x), |", "def view(|", "class Sum(|", "# torch.sum(|", "torch.sum(x) |", "x = [1, |", "torch.|"],
)
def test_nothing_is_said_outside_of_calls_of_torch(line: str) -> None:
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
        ("torch.sum(x, |", "dimension"),
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
