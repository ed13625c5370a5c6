"""What a client is told of the server's state, the Python that its editor has selected, and a workspace that is not trusted."""

from __future__ import annotations

import sys
import venv
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsp_editor import Editor, connected, profile, until
from lsprotocol import types as lsp

pytestmark = pytest.mark.asyncio
NAME = "torch-handbook/status"
CODE = "import torch\n\nx = torch.ones(3)\ny = x.relu()\n"


def following(editor: Editor) -> list[dict[str, Any]]:
    """What will come of the status."""
    told: list[dict[str, Any]] = []

    def note(params: Any) -> None:
        told.append(params._asdict())  # pygls makes a named tuple of what it has no type for

    editor.client.feature(NAME)(note)
    return told


def interested() -> lsp.ClientCapabilities:
    capabilities = profile("visual-studio-code")
    capabilities.experimental = {"torchHandbookStatus": True}
    return capabilities


@pytest.mark.torch
async def test_the_status_is_told_as_it_changes_and_only_then(tmp_path: Path) -> None:
    async with connected(interested(), tmp_path, settings={"python": sys.executable}) as editor:
        told = following(editor)
        editor.open((tmp_path / "a.py").as_uri(), CODE)
        await until(editor.status, lambda status: status["worker"] == "ready" and status["idle"])
        status = await editor.status()
        await until(editor.status, lambda _: bool(told) and told[-1]["idle"])
        assert "starting" in [row["worker"] for row in told]
        assert told[-1]["worker"] == "ready" and told[-1]["device"] == status["device"] and told[-1]["version"]
        assert status["device"] in ("cpu", "mps") or status["device"].endswith("cuda")
        assert all(one != other for one, other in pairwise(told))


@pytest.mark.torch
async def test_who_does_not_follow_the_status_is_not_told(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings={"python": sys.executable}) as editor:
        told = following(editor)
        editor.open((tmp_path / "a.py").as_uri(), CODE)
        await until(editor.status, lambda status: status["worker"] == "ready" and status["idle"])
        assert told == []


def with_torch(folder: Path, version: str) -> Path:
    """An environment that seems to have a torch."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python3.*/site-packages") if sys.platform != "win32" else [folder / "Lib" / "site-packages"]
    (packages / "torch").mkdir()
    (packages / "torch" / "__init__.py").write_text("", encoding="utf-8")
    (packages / "torch" / "version.py").write_text(f"__version__ = '{version}'\n", encoding="utf-8")
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


async def test_the_python_that_is_selected_in_the_editor_is_taken(tmp_path: Path) -> None:
    near, chosen = with_torch(tmp_path / ".venv", "1.0"), with_torch(tmp_path / "chosen", "2.0")
    set_ = with_torch(tmp_path / "set", "3.0")
    settings: dict[str, Any] = {"facts": False, "defaults": {"python": str(chosen)}}
    async with connected(profile("visual-studio-code"), tmp_path, settings=settings) as editor:
        status = await editor.settle()
        assert (status["python"], status["how"], status["torch"]) == (str(chosen), "the editor's selection", "2.0")

        async def other(settings: dict[str, Any], torch: str) -> dict[str, Any]:
            editor.client.set_configuration({"torchHandbook": settings})
            editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
            return await until(editor.status, lambda status: status["torch"] == torch)

        assert (await other({"facts": False}, "1.0"))["python"] == str(near)
        assert (await other({**settings, "python": str(set_)}, "3.0"))["how"] == "the setting"
        assert (await other({**settings, "defaults": {"python": "/nowhere"}}, "1.0"))["problems"] == []
        assert editor.messages() == []


@pytest.mark.torch
async def test_in_a_workspace_that_is_not_trusted_nothing_runs(tmp_path: Path) -> None:
    settings = {"python": sys.executable, "trusted": False}
    async with connected(profile("visual-studio-code"), tmp_path, settings=settings) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), CODE)
        status = await editor.settle()
        assert (status["trusted"], status["worker"]) == (False, "off") and status["torch"]
        assert "relu" in (await buffer.hover("x.re|lu") or "")
        timed = await editor.command("benchmark", buffer.uri, {"line": 3, "endLine": 3})
        assert timed["ok"] is False and "not trusted" in timed["problem"]
        summed = await editor.command("summary", buffer.uri)
        assert summed["ok"] is False and "not trusted" in summed["problem"]
        await buffer.hover("y| =")
        assert psutil.Process(status["process"]).children(recursive=True) == []
        editor.client.set_configuration({"torchHandbook": {"python": sys.executable}})
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
        await until(editor.status, lambda status: status["worker"] == "ready")


@pytest.mark.torch
async def test_a_file_that_is_too_long_to_look_at_is_told_of(tmp_path: Path) -> None:
    calls = "".join(f"def f{n}(x):\n" + f"    x = f{n - 1}(x)\n" * 12 + "    return x\n" for n in range(1, 7))
    text = f"import torch\n\nx = torch.ones(3)\ndef f0(x):\n    return x + 1\n{calls}y = f6(x)\n"
    async with connected(interested(), tmp_path, settings={"python": sys.executable}) as editor:
        buffer = editor.open((tmp_path / "long.py").as_uri(), text)
        status = await until(editor.status, lambda status: status["worker"] == "ready" and status["idle"])
        assert [problem.split(":")[0] for problem in status["problems"]] == ["long.py takes long to be looked at"]
        assert "float32" in (await buffer.hover("x = torch.ones") or "")  # what was found is shown
        buffer.set(CODE)
        await until(editor.status, lambda status: status["problems"] == [] and status["idle"])
