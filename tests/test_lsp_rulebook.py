"""What a workspace says of rules reaches its editor: names that no rule bears, what is known, what one file is spared."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_command import EINSUM, check, write
from lsp_editor import Editor, connected, profile, until
from lsprotocol import types as lsp

NAME = "einsum-with-dot-equivalent"
pytestmark = pytest.mark.asyncio


async def warned(editor: Editor, words: str) -> None:
    async def said() -> list[str]:
        return editor.messages()

    await until(said, lambda messages: any(words in message for message in messages))


async def test_a_name_that_no_rule_bears_is_said_once_and_the_others_hold(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.torch-handbook]\nextend-ignore = ["shape-mismatsch", "data"]\n')
    settings = {"facts": False, "severity": {NAME: "error", "einsum": "off"}, "perFileIgnores": {"a.py": ["speed"]}}
    async with connected(profile("visual-studio-code"), tmp_path, settings=settings) as editor:
        (row,) = await editor.open((tmp_path / "a.py").as_uri(), EINSUM).diagnostics(bool)
        assert row.code == NAME and row.severity == lsp.DiagnosticSeverity.Error
        await editor.settle()
        pyproject = f"{tmp_path / 'pyproject.toml'}: extend-ignore: there is no rule called shape-mismatsch: did you mean"
        assert [pyproject in message for message in editor.messages()].count(True) == 1
        for words in ("the editor's settings: severity: there is no rule called einsum", "per-file-ignores: there is no rule"):
            assert [words in message for message in editor.messages()].count(True) == 1
        assert len(editor.messages()) == 3


async def test_what_the_baseline_has_is_not_told_until_there_is_more_of_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.torch-handbook]\nbaseline = "known.json"\n')
    path = write(tmp_path / "src" / "a.py", EINSUM)
    assert check("src", "--write-baseline", "known.json", folder=tmp_path).returncode == 0
    async with connected(profile("visual-studio-code"), tmp_path, settings={"facts": False}) as editor:
        buffer = editor.open(path.as_uri(), f"# moved\n{EINSUM}")
        assert await buffer.diagnostics() == []
        buffer.append(EINSUM.splitlines()[-1] + "\n")
        (row,) = await buffer.diagnostics(bool)
        assert row.code == NAME and row.range.start.line == 4
        write(path, buffer.text)
        assert check("src", "--write-baseline", "known.json", folder=tmp_path).returncode == 0
        event = lsp.FileEvent((tmp_path / "known.json").as_uri(), lsp.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
        assert await buffer.diagnostics(lambda rows: not rows) == []
        assert editor.messages() == []


@pytest.mark.parametrize(("content", "words"), [(None, "cannot be read (No such file"), ("[]", "is not a baseline: everything")])
async def test_a_baseline_that_is_none_is_said_and_nothing_is_left_out(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        write(tmp_path / "known.json", content)
    settings = {"facts": False, "baseline": "known.json"}
    async with connected(profile("visual-studio-code"), tmp_path, settings=settings) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), EINSUM)
        assert len(await buffer.diagnostics(bool)) == 1
        await warned(editor, words)
        buffer.append("\n")
        await editor.settle()
        assert len(editor.messages()) == 1


async def test_patterns_are_about_the_path_from_the_workspace(tmp_path: Path) -> None:
    ignored = {tmp_path.parent.name + "/*": ["all"], "src/*": ["performance"]}
    async with connected(profile("visual-studio-code"), tmp_path, settings={"facts": False, "perFileIgnores": ignored}) as editor:
        assert len(await editor.open((tmp_path / "a.py").as_uri(), EINSUM).diagnostics(bool)) == 1
        assert await editor.open((tmp_path / "src" / "a.py").as_uri(), EINSUM).diagnostics() == []
