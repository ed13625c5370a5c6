"""Texts that are no Python, workers that die, interpreters without torch: the server serves on and says once what is wrong."""

from __future__ import annotations

import asyncio
import sys
import venv
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from lsp_editor import Buffer, Editor, connected, profile, until
from lsprotocol import types as lsp
from torch_handbook import knowledge
from torch_handbook.interpreter import Interpreter

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOOD = 'import torch\nfrom torch import nn\nx = torch.einsum("ij,jk->ik", torch.ones(2, 2), torch.ones(2, 2))\n'
MANY = "import torch\n" + ("x = torch.relu(torch.ones(2, 3))  # 好\n" + "y = 1\n" * 49) * 1000
TEXTS = {
    "empty": "",
    "one newline": "\n",
    "a byte order mark": "\ufeff" + GOOD,
    "windows line ends": GOOD.replace("\n", "\r\n"),
    "old mac line ends": GOOD.replace("\n", "\r"),
    "mixed line ends": "import torch\r\nx = torch.ones(1)\ry = 1\n\r\n",
    "NUL bytes": "import torch\n\0\0x = torch.\0ones(1)\n\0",
    "half a surrogate pair": "import torch\nx = '\ud83d'; y = torch.ones(1)\n",
    "form feeds and separators": "import torch\n\f\v\x1c\u2028\u2029\x85x = torch.ones(1)\n",
    "HTML": "<html><body>torch.</body></html>\n" * 50,
    "a notebook": '{"cells": [{"source": ["import torch\\n"]}]}',
    "random characters": "".join(chr(33 + (k * 7919) % 4000) for k in range(5000)),
    "brackets without end": "import torch\nx = torch.ones(" + "(" * 3000,
    "deep nesting": "import torch\nx = " + "(" * 2000 + "torch" + ")" * 2000 + "\n",
    "a very long line": "import torch\nx = [" + "torch.ones(1), " * 3_000 + "]\n",
    "half a statement": "import torch\ndef f(x):\n    return torch.",
    "an open string": "import torch\nx = torch.ones(1)\ny = '''torch.",
    "tabs and spaces": "import torch\nif 1:\n\tx = torch.ones(1)\n        y = torch.\n",
    "python 2": "import torch\nprint torch.ones(1)\nexec 'x'\n",
    "a lonely star": "from torch import *\n* = 3\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    folder = tmp_path_factory.mktemp("bad")
    async with connected(profile("visual-studio-code"), folder, settings={"facts": False}) as editor:
        yield editor


@pytest.mark.parametrize("name", TEXTS)
async def test_any_text_gets_answers(editor: Editor, name: str) -> None:
    buffer = editor.open(f"untitled:{name}", TEXTS[name])
    await all_features(buffer)
    for new in ("torch.", "\n", "\0", "nn.Linear(3, "):
        buffer.append(new)
        await buffer.complete()
    await all_features(buffer)
    buffer.set(GOOD)
    assert [row.code for row in await buffer.diagnostics(bool)] == ["einsum-with-bmm-equivalent"]
    buffer.close()
    assert (await editor.status())["errors"] == 0


async def all_features(buffer: Buffer) -> None:
    """Every request, at the first and last place, in the middle and behind the end."""
    client, lines = buffer.editor.client, buffer.text.count("\n")
    for place in (lsp.Position(0, 0), lsp.Position(lines // 2, 9), lsp.Position(lines, 5), lsp.Position(lines + 99, 99)):
        await client.text_document_hover_async(lsp.HoverParams(buffer.id, place))
        await client.text_document_completion_async(lsp.CompletionParams(buffer.id, place))
        context = lsp.CodeActionContext([])
        await client.text_document_code_action_async(lsp.CodeActionParams(buffer.id, lsp.Range(place, place), context))
    await buffer.hints()
    await buffer.lenses()
    await buffer.diagnostics()


async def test_fifty_thousand_lines_do_not_hold_up_another_file(editor: Editor) -> None:
    large = editor.open("untitled:large", MANY)
    small = editor.open("untitled:small", GOOD)
    assert [row.code for row in await small.diagnostics(bool)] == ["einsum-with-bmm-equivalent"]
    assert "torch.relu" in (await large.hover("torch.re|lu") or "")
    large.append("torch.")
    assert await large.complete()
    await large.diagnostics()
    large.close()
    small.close()
    assert (await editor.status())["errors"] == 0


def environment(folder: Path, torch: str | None) -> str:
    """A Python without torch, or with one that fails as told."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    if torch is not None:
        package = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages" / "torch"
        package.mkdir()
        (package / "__init__.py").write_text(torch)
        (package / "version.py").write_text("__version__ = '2.9.0'\n")
    return str(python)


async def test_no_torch_is_said_once_with_the_way_to_get_it(tmp_path: Path) -> None:
    python = environment(tmp_path / "env", None)
    async with connected(profile("neovim"), tmp_path, settings={"python": python}) as editor:
        buffer = editor.open("untitled:a", GOOD)
        assert [row.code for row in await buffer.diagnostics(bool)] == ["einsum-with-bmm-equivalent"]
        editor.open("untitled:b", GOOD)
        buffer.append("nn.")
        assert any(item.label == "Linear" for item in await buffer.complete())
        assert "torch.einsum" in (await buffer.hover("torch.ein|sum") or "")
        await editor.settle()
        (said,) = [message for message in editor.messages() if "no torch" in message]
        assert f"{python} -m pip install torch" in said
        result = await editor.command("benchmark", buffer.uri, {"line": 2})
        assert result["ok"] is False and "no torch" in result["problem"]


async def test_nobody_is_bothered_about_torch_in_a_file_without_it(tmp_path: Path) -> None:
    python = environment(tmp_path / "env", None)
    async with connected(profile("neovim"), tmp_path, settings={"python": python}) as editor:
        editor.open("untitled:a", "import numpy\n")
        await editor.settle()
        assert editor.messages() == []


async def test_a_torch_that_cannot_be_imported_is_said_once(tmp_path: Path) -> None:
    python = environment(tmp_path / "env", "raise ImportError('libcudart.so.12: cannot open shared object file')\n")
    async with connected(profile("neovim"), tmp_path, settings={"python": python}) as editor:
        buffer = editor.open("untitled:a", GOOD)
        await until(editor.status, lambda _: any("libcudart" in message for message in editor.messages()))
        buffer.append("y = 1\n")
        await editor.settle()
        (said,) = [message for message in editor.messages() if "libcudart" in message]
        assert "cannot be imported" in said
        assert [row.code for row in await buffer.diagnostics(bool)] == ["einsum-with-bmm-equivalent"]


async def test_a_wrong_interpreter_is_said_once_and_another_is_used(tmp_path: Path) -> None:
    wrong = str(tmp_path / "nowhere" / "python")
    async with connected(profile("neovim"), tmp_path, settings={"python": wrong, "facts": False}) as editor:
        buffer = editor.open("untitled:a", GOOD)
        assert [row.code for row in await buffer.diagnostics(bool)] == ["einsum-with-bmm-equivalent"]
        status = await editor.settle()
        (said,) = [message for message in editor.messages() if wrong in message]
        assert "no such file" in said and status["python"] in said


async def test_something_that_is_no_python_is_said_once(tmp_path: Path) -> None:
    python = Path(environment(tmp_path / "env", ""))
    python.unlink()
    python.write_text("#!/bin/sh\necho hello; exit 3\n")
    python.chmod(0o755)
    async with connected(profile("neovim"), tmp_path, settings={"python": str(python)}) as editor:
        buffer = editor.open("untitled:a", GOOD)
        await until(editor.status, lambda _: any("stopped" in message for message in editor.messages()))
        assert [row.code for row in await buffer.diagnostics(bool)] == ["einsum-with-bmm-equivalent"]
        assert (await editor.status())["errors"] == 0


async def test_no_module_of_the_workspace_is_run_when_docs_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = Path(environment(tmp_path / "env", "")).parent.parent.glob("lib/*/site-packages/torch")
    for name in ("random", "json", "torch"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)  # as editors start a server
    monkeypatch.setattr(knowledge, "CACHE", tmp_path / "cache")
    await knowledge.write_docs(Interpreter("", "", next(torch), "2.9.0"))
    assert len(list((tmp_path / "cache").glob("torch-2.9.0-*.json"))) == 1
    assert not (tmp_path / "was-run").exists()


@pytest.mark.torch
async def test_a_killed_worker_is_started_again_and_nothing_is_lost(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    async with connected(profile("neovim"), tmp_path, settings={"python": sys.executable}) as editor:
        buffer = editor.open("untitled:a", GOOD)
        await editor.settle()
        assert [hint.label for hint in await buffer.hints()] == [": [2, 2]"]
        for number in range(2):
            (worker,) = await workers(editor)
            worker.kill()
            buffer.append(f"y{number} = x + {number}\n")
            await until(lambda: shapes(buffer), lambda labels, wanted=2 + number: len(labels) == wanted)
        said = [message for message in editor.messages() if "stopped" in message]
        assert len(said) <= 1  # a worker that died while it was idle is not worth a word
        assert (await editor.status())["errors"] == 0


@pytest.mark.torch
async def test_a_worker_killed_at_work_again_and_again_is_said_once(tmp_path: Path) -> None:
    """A first time the text is asked about once more, in silence: something outside may have ended it."""
    pytest.importorskip("torch")
    slow = "import torch\nfor i in range(10_000):\n    x = torch.ones(3) + i\n    for j in range(1000):\n        x = x + j\n"
    async with connected(profile("neovim"), tmp_path, settings={"python": sys.executable}) as editor:
        buffer = editor.open("untitled:a", slow)
        for _ in range(2):
            busy = await until(lambda: workers(editor), lambda found: any(child.cpu_times().user > 1 for child in found))
            for child in busy:
                child.kill()
        await until(editor.status, lambda _: any("stopped" in message for message in editor.messages()))
        buffer.set(GOOD)
        await until(lambda: shapes(buffer), lambda labels: labels == [": [2, 2]"])
        assert len([message for message in editor.messages() if "stopped" in message]) == 1


async def workers(editor: Editor) -> list[psutil.Process]:
    children = psutil.Process((await editor.status())["process"]).children()
    running = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in running if any("torch_handbook_worker" in word for word in child.cmdline())]


async def shapes(buffer: Buffer) -> list[str]:
    return [str(hint.label) for hint in await buffer.hints()]


@pytest.mark.torch
async def test_nothing_is_left_when_the_client_is_gone(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    async with connected(profile("neovim"), tmp_path, settings={"python": sys.executable}) as editor:
        buffer = editor.open("untitled:a", "import torch\nx = [torch.ones(1) for _ in iter(int, 1)]\n")
        task = asyncio.ensure_future(editor.command("benchmark", buffer.uri, {"line": 1}))
        found = await until(lambda: workers(editor), lambda found: len(found) == 2)
        server = editor.client._server
        assert server and server.stdin
        found.append(psutil.Process(server.pid))
        server.stdin.close()
        editor.client.capabilities = None  # there is nobody to say goodbye to

        async def left() -> list[psutil.Process]:
            return [process for process in found if process.is_running()]

        await until(left, lambda processes: not processes)
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.torch
async def test_restart_finds_everything_again_and_facts_can_be_switched_off(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    async with connected(profile("neovim"), tmp_path, settings={"python": sys.executable}) as editor:
        buffer = editor.open("untitled:a", GOOD)
        await editor.settle()
        before = await workers(editor)
        await editor.command("restart")
        await until(lambda: shapes(buffer), lambda labels: labels == [": [2, 2]"])
        after = await workers(editor)
        assert before and after and before != after
        editor.client.set_configuration({"torchHandbook": {"facts": False}})
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
        await until(lambda: shapes(buffer), lambda labels: labels == [])
        await until(lambda: workers(editor), lambda found: found == [])
