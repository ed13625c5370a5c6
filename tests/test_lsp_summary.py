"""Summaries of networks through the protocol: the lens, the action, the command, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import connected, profile, until
from lsprotocol import types as lsp

pytest.importorskip("torch")
pytestmark = [pytest.mark.asyncio, pytest.mark.torch]
TEXT = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, x):
        return self.fc(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(x)


net = Net()
small = nn.Linear(3, 2)
y = net(torch.zeros(4, 6))
z = small(torch.zeros(4, 3))
"""


async def test_a_network_is_summed_up_from_its_lens_an_action_and_a_place(tmp_path: Path) -> None:
    capabilities = profile("neovim")
    assert capabilities.window
    capabilities.window.show_document = lsp.ShowDocumentClientCapabilities(True)
    home = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    async with connected(capabilities, tmp_path, settings={"memory": "1MiB"}, environ=home) as editor:
        buffer = editor.open("file:///net.py", TEXT)
        await editor.settle()
        (lens,) = [lens for lens in await buffer.lenses() if lens.command and lens.command.command.endswith("summary")]
        assert lens.command and lens.range.start == buffer.find("class Net")
        answer = await editor.command("summary", *lens.command.arguments or [])
        assert answer["ok"] and answer["title"] == "Summary of Net" and "42 parameters" in answer["report"]
        assert "fits into 1.0 MiB" in answer["report"]
        await until(editor.status, lambda _: bool(editor.shown))
        assert editor.shown[0].uri.endswith("Summary-of-Net.md")
        (action,) = await buffer.actions("small = nn")
        assert action.title == "Show the layers and the memory of small"
        assert (await editor.command("summary", buffer.uri, "small", {"show": False}))["title"] == "Summary of small"
        place = buffer.find("self.fc = nn")
        inside = await editor.command("summary", buffer.uri, {"line": place.line, "character": place.character, "show": False})
        assert inside["title"] == "Summary of Block"
        assert (await editor.command("summary", buffer.uri, {"show": False}))["title"] in ("Summary of Net", "Summary of net")
        wrong = await editor.command("summary", buffer.uri, "Other")
        assert not wrong["ok"] and wrong["problem"].startswith("Other is no network of this file")
        assert not (await editor.command("summary", "file:///other.py"))["ok"]
        assert "not an amount of memory" in (await editor.command("summary", buffer.uri, {"memory": "a lot"}))["problem"]
        assert len(editor.shown) == 1
        assert (await editor.status())["errors"] == 0


async def test_without_facts_it_is_said_why(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings={"facts": False}) as editor:
        buffer = editor.open("file:///net.py", TEXT)
        answer = await editor.command("summary", buffer.uri)
        assert not answer["ok"] and "`facts` is off" in answer["problem"]
        assert await buffer.lenses() == []
