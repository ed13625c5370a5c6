"""What someone sees who is typing: half of a name is no wrong name, until it is left alone or something else is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import Buffer, connected, profile, until
from lsprotocol import types as lsp
from torch_handbook.source.text import Text, end_of_edit

PLAIN = {"facts": False}
START = "import torch.nn.functional as F\nfrom torch import nn\n"


@pytest.mark.parametrize(
    ("old", "new", "rest"),
    [
        ("F.soft\nx", "F.softm\nx", "\nx"),
        ("F.soft", "F.softt", "t"),
        ("F.softmx", "F.softmax", "x"),
        ("aab", "aaab", "aab"),
        ("abcd", "ad", "d"),
        ("a = 1\n\nb", "a = 1\nF.s\n\nb", "\n\nb"),
        ("F.s\nb", "F.s\n\nb", "\nb"),
        ("學\nb", "學習\nb", "\nb"),
        ("", "x", ""),
    ],
)
def test_an_edit_ends_where_the_cursor_was(old: str, new: str, rest: str) -> None:
    text = Text(new)
    assert new[text.offset(end_of_edit(Text(old), text)) :] == rest


async def codes(buffer: Buffer) -> list[tuple[int, object]]:
    return [(row.range.start.line, row.code) for row in await buffer.diagnostics()]


@pytest.mark.asyncio
async def test_a_name_is_not_wrong_while_it_is_typed(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), START + "F.sofmax(x)\n")
        await buffer.diagnostics(lambda rows: len(rows) == 1)  # as this name was there before, it is wrong at once
        for word in ("s", "o", "f", "t", "m"):
            buffer.append(word if word != "s" else "F.s")
            assert await codes(buffer) == [(2, "unknown-torch-name")]
        buffer.append("\nx = 1\n")
        assert await codes(buffer) == [(2, "unknown-torch-name"), (3, "unknown-torch-name")]
        buffer.replace("F.softm", "F.softma")  # into the middle of the file again
        assert await codes(buffer) == [(2, "unknown-torch-name")]
        await buffer.diagnostics(lambda rows: len(rows) == 2)  # left alone
        assert (await editor.status())["errors"] == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("refreshes", [True, False])
async def test_who_asks_is_told_of_a_word_when_it_is_finished(tmp_path: Path, refreshes: bool) -> None:
    capabilities = profile("visual-studio-code")
    assert capabilities.text_document and capabilities.workspace
    capabilities.text_document.publish_diagnostics = None
    capabilities.workspace.diagnostics = lsp.DiagnosticWorkspaceClientCapabilities(refreshes)
    async with connected(capabilities, tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), START)
        await editor.settle()
        buffer.append("nn.Lin")
        rows = await buffer.pulled()
        if not refreshes:  # it would not ask again
            assert [row.code for row in rows] == ["unknown-torch-name"]
            return
        assert rows == []
        editor.refreshed.clear()
        await until(lambda: told(editor.refreshed), bool)
        assert [row.code for row in await buffer.pulled()] == ["unknown-torch-name"]


async def told(methods: list[str]) -> bool:
    return lsp.WORKSPACE_DIAGNOSTIC_REFRESH in methods
