"""Editors that can do less: that show no Markdown, cannot be told to ask again, or send a command without its arguments."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import connected, profile, until
from lsprotocol import types as lsp

pytestmark = pytest.mark.asyncio
TEXT = "import torch\n\nx = torch.flatten(torch.zeros(2, 3))\n"
NET = "from torch import nn\n\nnet = nn.Sequential(nn.Linear(3, 2))\n"


def plain_client() -> lsp.ClientCapabilities:
    capabilities = profile("emacs")
    assert capabilities.text_document and capabilities.text_document.hover
    capabilities.text_document.hover.content_format = [lsp.MarkupKind.PlainText]
    return capabilities


async def test_hovers_and_answers_are_text_without_marks(tmp_path: Path) -> None:
    async with connected(plain_client(), tmp_path) as editor:
        buffer = editor.open("file:///x.py", TEXT)
        await editor.settle()
        hover = await editor.client.text_document_hover_async(
            lsp.HoverParams(lsp.TextDocumentIdentifier(buffer.uri), buffer.find("flatten"))
        )
        assert hover and isinstance(hover.contents, lsp.MarkupContent)
        assert hover.contents.kind == lsp.MarkupKind.PlainText and hover.contents.value.startswith("torch.flatten(")
        assert "`" not in hover.contents.value and "⚠" in hover.contents.value
        answer = await editor.command("page", "torch.flatten")
        assert "`" in answer["markdown"] and answer["plain"].startswith("torch.flatten\n=") and "`" not in answer["plain"]
        assert "`" not in (await editor.command("explain", "shape-mismatch"))["plain"]


async def test_who_shows_markdown_is_sent_the_text_once(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path) as editor:
        assert set(await editor.command("page", "torch.flatten")) == {"ok", "title", "markdown"}


async def test_without_arguments_a_command_says_how_else(tmp_path: Path) -> None:
    ways = {
        "benchmark": "code actions",
        "page": "declaration",
        "open": "declaration",
        "explain": "explain 'MESSAGE'",
        "search": "search",
    }
    async with connected(profile("neovim"), tmp_path) as editor:
        for number, (name, way) in enumerate(ways.items(), 1):
            answer = await editor.command(name)
            assert not answer["ok"] and way in answer["problem"], name
            assert len(editor.messages()) == number and answer["problem"] in editor.messages()[-1]


@pytest.mark.torch
async def test_without_arguments_the_file_is_summed_up_and_its_gist_said_where_nothing_can_be_shown(
    tmp_path: Path,
) -> None:
    pytest.importorskip("torch")
    capabilities = profile("neovim")
    assert capabilities.window
    capabilities.window.show_document = None
    async with connected(capabilities, tmp_path) as editor:
        assert not (await editor.command("summary"))["ok"]
        editor.open("file:///net.py", NET)
        await editor.settle()
        assert (await editor.command("summary"))["title"] == "Summary of net"
        await until(editor.status, lambda _: "Torch Handbook: Summary of net: 8 parameters" in editor.messages()[-1])


@pytest.mark.torch
async def test_who_cannot_be_told_to_ask_again_for_hints_is_answered_when_shapes_are_known(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    async with connected(profile("emacs"), tmp_path) as editor:
        hints = await editor.open("file:///x.py", TEXT).hints()
        assert [hint.label for hint in hints] == [": [6]"]


@pytest.mark.torch
async def test_who_cannot_be_told_to_ask_again_for_lenses_is_answered_when_networks_are_known(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    network = "from torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x.relu()\n"
    async with connected(profile("emacs"), tmp_path) as editor:
        lenses = await editor.open("file:///x.py", network).lenses()
        assert [lens.command.title for lens in lenses if lens.command] == ["Layers and memory"]
