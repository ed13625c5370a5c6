"""What the server says of itself, and that nothing a client sends can end it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsp_editor import connected, profile, until
from lsprotocol import types as lsp
from torch_handbook.features import code_actions
from torch_handbook.lsp import methods
from torch_handbook.lsp.handlers import HANDLERS

pytestmark = pytest.mark.asyncio
PLAIN = {"facts": False}  # no worker: these tests are about the protocol
BAD = 'import torch\n名 = "😀"; x = torch.einsum("bij,bjk->bik", torch.ones(2, 3, 4), torch.ones(2, 4, 5))\n'


@pytest.mark.parametrize("name", ["visual-studio-code", "neovim", "emacs"])
async def test_every_client_gets_diagnostics_one_way(tmp_path: Path, name: str) -> None:
    async with connected(profile(name), tmp_path, settings=PLAIN) as editor:
        capabilities = editor.result.capabilities
        assert capabilities.diagnostic_provider is None  # all three can be pushed to
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        rows = await buffer.diagnostics(bool)
        assert [row.code for row in rows] == ["einsum-with-bmm-equivalent"]
        assert buffer.text[buffer.offset(rows[0].range.start) :].startswith("torch.einsum")


async def test_a_client_that_only_pulls_is_never_pushed_to(tmp_path: Path) -> None:
    capabilities = profile("visual-studio-code")
    assert capabilities.text_document and capabilities.workspace
    capabilities.text_document.publish_diagnostics = None
    capabilities.workspace.diagnostics = lsp.DiagnosticWorkspaceClientCapabilities(True)
    async with connected(capabilities, tmp_path, settings=PLAIN) as editor:
        assert editor.result.capabilities.diagnostic_provider
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        assert [row.code for row in await buffer.pulled()] == ["einsum-with-bmm-equivalent"]
        buffer.replace("torch.einsum", "torch.einsun")
        assert await buffer.pulled() == []
        await until(editor.status, lambda _: lsp.WORKSPACE_DIAGNOSTIC_REFRESH in editor.refreshed)
        assert editor.published == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_encoding_that_was_agreed_on_is_used(tmp_path: Path, encoding: str) -> None:
    capabilities = profile("neovim")
    capabilities.general = lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind(encoding)])
    async with connected(capabilities, tmp_path, settings=PLAIN) as editor:
        assert editor.result.capabilities.position_encoding == lsp.PositionEncodingKind(encoding)
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        (row,) = await buffer.diagnostics(bool)
        assert row.range.start == buffer.find("torch.einsum")
        assert "torch.einsum" in (await buffer.hover("torch.ein|sum") or "")
        buffer.replace("😀", "学😀")
        (row,) = await buffer.diagnostics(bool)
        assert row.range.start == buffer.find("torch.einsum")
        (action, *_) = await buffer.actions("torch.ein|sum")
        assert "torch.matmul(" in buffer.edited(action)


async def test_diagnostics_are_about_the_last_version_and_go_with_the_file(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), "import torch\n")
        for letter in "x = torch.einsum('ij,jk->ik', torch.ones(2, 2), torch.ones(2, 2))":
            buffer.append(letter)
        await buffer.diagnostics(bool)
        versions = [row.version for row in editor.published]
        assert len(versions) < 10 and versions == sorted(versions) and versions[-1] == buffer.version
        buffer.close()
        await until(editor.status, lambda status: status["files"] == 0 and not editor.published[-1].diagnostics)


async def test_files_that_are_not_open_get_empty_answers(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        for uri in ("file:///nowhere.py", "untitled:Untitled-1", "http://[bad", ""):
            buffer = editor.open(uri, "import torch\n")
            buffer.close()
            assert await buffer.hover("tor|ch") is None
            assert await buffer.complete() == []
            assert await buffer.hints() == [] and await buffer.lenses() == [] and await buffer.actions("torch") == []
            buffer.replace("torch", "numpy")
        assert (await editor.status())["errors"] == 0


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-notebook-cell:/ws/nb.ipynb#c1", "file:///c%3A/net.py"])
async def test_files_that_are_nowhere_on_disk_are_served(tmp_path: Path, uri: str) -> None:
    async with connected(profile("visual-studio-code"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open(uri, BAD)
        assert [row.code for row in await buffer.diagnostics(bool)] == ["einsum-with-bmm-equivalent"]
        assert "torch.einsum" in (await buffer.hover("torch.ein|sum") or "")


async def test_another_language_is_left_alone(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "a.md").as_uri(), BAD, language="markdown")
        assert await buffer.hover("torch.ein|sum") is None
        assert (await editor.status())["files"] == 0


ARGUMENTS: list[Any] = [
    [],
    [None],
    [1, 2, 3],
    ["x"],
    [{}],
    [[]],
    ["file:///a.py", {}],
    ["file:///a.py", {"line": -1}],
    [{"uri": 3}],
]


async def test_commands_take_any_arguments(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        for name in ("benchmark", "page", "explain"):
            for arguments in ARGUMENTS:
                answer = await editor.command(name, *arguments)
                assert answer["ok"] is False and answer["problem"], (name, arguments)
        for arguments in ARGUMENTS:
            assert (await editor.command("status", *arguments))["errors"] == 0
        assert (await editor.command("restart", 1, 2, 3))["python"]


async def test_pages(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        page = await editor.command("page", "torch.nn.Linear")
        assert page["ok"] and page["markdown"].startswith("# torch.nn.Linear")
        rule = await editor.command("explain", "einsum-with-bmm-equivalent")
        assert rule["ok"] and rule["title"] == "einsum-with-bmm-equivalent"


async def test_messages_are_explained(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        known = await editor.command("explain", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)")
        assert known["ok"] and known["name"] == "errors/mat1-and-mat2-shapes" and "256 features arrive" in known["markdown"]
        unknown = await editor.command("explain", "RuntimeError: something that nobody has seen")
        assert unknown["ok"] and unknown["name"] == "" and "The nearest pages:" in unknown["markdown"]


async def test_pages_are_searched(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        answer = await editor.command("search", "join tensors along a new axis")
        assert answer["ok"] and answer["results"][0]["name"] == "torch.stack"
        assert set(answer["results"][0]) == {"name", "title", "kind", "summary"}
        assert (await editor.command("search"))["results"] == []


async def test_pages_are_in_the_language_of_the_editor_or_of_the_settings(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN, locale="zh-cn") as editor:
        assert "## 常见错误" in (await editor.command("page", "torch.stack"))["markdown"]
        buffer = editor.open((tmp_path / "a.py").as_uri(), "import torch\ntorch.stack\n")
        assert "把形状完全相同的张量" in await buffer.hover("stack")
    async with connected(profile("neovim"), tmp_path, settings=PLAIN | {"locale": "en"}, locale="zh-cn") as editor:
        assert "## Pitfalls" in (await editor.command("page", "torch.stack"))["markdown"]
    async with connected(profile("neovim"), tmp_path, settings=PLAIN, environ={"LC_ALL": "zh_CN.UTF-8"}) as editor:
        assert "## 常见错误" in (await editor.command("page", "torch.stack"))["markdown"]
    async with connected(profile("neovim"), tmp_path, settings=PLAIN, environ={"LC_ALL": "zh_CN.UTF-8"}, locale="en") as editor:
        assert "## Pitfalls" in (await editor.command("page", "torch.stack"))["markdown"]


async def test_an_unknown_command_is_refused(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path, settings=PLAIN) as editor:
        with pytest.raises(Exception, match="no command"):
            await editor.command("nonsense")
        assert (await editor.status())["files"] == 0


async def test_wrong_settings_are_said_once_and_the_rest_holds(tmp_path: Path) -> None:
    settings = {"facts": "no", "inlayHints": False, "sevrity": {}}
    async with connected(profile("neovim"), tmp_path, settings=settings, options=settings) as editor:
        await editor.settle()
        said = [message for message in editor.messages() if "facts" in message or "sevrity" in message]
        assert len(said) == 2 and "did you mean severity" in "".join(said)
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
        await editor.settle()
        assert len([message for message in editor.messages() if "facts" in message]) == 1


async def test_settings_that_change_are_asked_for(tmp_path: Path) -> None:
    async with connected(profile("visual-studio-code"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        await buffer.diagnostics(bool)
        await until(editor.status, lambda _: lsp.WORKSPACE_DID_CHANGE_CONFIGURATION in editor.registered)
        editor.client.set_configuration({"torchHandbook": {**PLAIN, "ignore": ["einsum-with-bmm-equivalent"]}})
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
        await buffer.diagnostics(lambda rows: not rows)


async def test_folders_that_are_not_on_this_disk_are_left_out(tmp_path: Path) -> None:
    async with connected(profile("visual-studio-code"), tmp_path, settings={"facts": False}) as editor:
        added = [lsp.WorkspaceFolder("vscode-vfs://github/a/b", "b"), lsp.WorkspaceFolder((tmp_path / "c d").as_uri(), "c d")]
        event = lsp.WorkspaceFoldersChangeEvent(added, [])
        editor.client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(event))
        assert (await editor.status())["workspace"] == [str(tmp_path), str(tmp_path / "c d")]


async def test_pyproject_is_read_again_when_it_changes(tmp_path: Path) -> None:
    async with connected(profile("visual-studio-code"), tmp_path, settings=PLAIN) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        await buffer.diagnostics(bool)
        pyproject = tmp_path / "pyproject.toml"
        pyproject.write_text('[tool.torch-handbook]\nignore = ["einsum-with-bmm-equivalent"]\n')
        event = lsp.FileEvent(pyproject.as_uri(), lsp.FileChangeType.Created)
        editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
        await buffer.diagnostics(lambda rows: not rows)


async def test_the_server_never_imports_torch(tmp_path: Path) -> None:
    async with connected(profile("neovim"), tmp_path) as editor:
        buffer = editor.open((tmp_path / "a.py").as_uri(), BAD)
        await buffer.hover("torch.ein|sum")
        await buffer.diagnostics(bool)
        await editor.settle()
        assert (await editor.status())["torch_imported"] is False


class Wire:
    """Bytes to and from a server, for what no client library would send."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def send(self, body: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await self.process.stdin.drain()

    async def request(self, number: int, method: str, params: Any) -> dict[str, Any]:
        await self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        while True:
            message = await asyncio.wait_for(self.receive(), 30)
            if message.get("id") == number and "method" not in message:
                return message

    async def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while (line := await self.process.stdout.readline()).strip():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        return json.loads(await self.process.stdout.readexactly(length))


async def wire() -> Wire:
    command = [sys.executable, "-m", "torch_handbook", "serve"]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return Wire(process)


async def test_malformed_messages_get_errors_and_change_nothing() -> None:
    line = await wire()
    assert "result" in await line.request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    await line.send(b"{not json")
    await line.send(b"[1, 2]")
    await line.send(b'"text"')
    await line.send(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 3}}).encode())
    await line.send(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": None}).encode())
    for number, params in enumerate(
        [None, {}, {"textDocument": {}}, {"textDocument": {"uri": "file:///a.py"}, "position": "x"}], 2
    ):
        assert "error" in await line.request(number, "textDocument/hover", params)
    assert "error" in await line.request(9, "no/such/method", {})
    place = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    assert (await line.request(10, "textDocument/hover", place))["result"] is None
    assert "result" in await line.request(11, "shutdown", None)
    await line.send(b'{"jsonrpc": "2.0", "method": "exit"}')
    assert await asyncio.wait_for(line.process.wait(), 30) == 0


async def test_it_ends_when_its_client_is_gone() -> None:
    line = await wire()
    await line.request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert line.process.stdin
    line.process.stdin.close()
    await asyncio.wait_for(line.process.wait(), 30)


async def test_over_tcp(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "torch_handbook", "serve", "--tcp", "127.0.0.1:0"]
    process = await asyncio.create_subprocess_exec(*command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr
    port = 0
    while not port:
        line = (await asyncio.wait_for(process.stderr.readline(), 30)).decode()
        port = int(line.rpartition(", ")[2].rstrip(")\n")) if "Serving on" in line else 0
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
    ).encode()
    writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert b"Content-Length" in await asyncio.wait_for(reader.readline(), 30)
    writer.close()
    await asyncio.wait_for(process.wait(), 30)


async def test_every_method_has_its_function() -> None:
    said = {*methods.REQUESTS, *methods.PULLED, *methods.NOTIFICATIONS, *methods.COMMANDS}
    assert set(HANDLERS) == said
    assert (methods.BENCHMARK, methods.OPEN) == (code_actions.BENCHMARK, code_actions.OPEN)
    assert methods.FIX_ALL == code_actions.FIX_ALL


async def test_initialize_is_answered_before_the_rest_is_loaded() -> None:
    code = (
        "import sys, torch_handbook.lsp.server as s; s.Server(); print(*sorted(n for n in sys.modules if 'torch_handbook' in n))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("torch_handbook.").split(".")[0] for name in done.stdout.split()}
    assert loaded <= {"torch_handbook", "lsp", "source", "version"}


async def test_snippets_are_offered_to_a_client_that_knows_them(tmp_path: Path) -> None:
    for supported in (True, False):
        capabilities = profile("visual-studio-code")
        assert capabilities.text_document and capabilities.text_document.completion
        assert capabilities.text_document.completion.completion_item
        capabilities.text_document.completion.completion_item.snippet_support = supported
        async with connected(capabilities, tmp_path, settings=PLAIN) as editor:
            buffer = editor.open((tmp_path / "a.py").as_uri(), "import os\n\nx = 1\nco\n")
            items = {item.label: item for item in await buffer.complete("co", 2)}
            assert ("collate" in items) is supported
            if supported:
                collate = items["collate"]
                assert collate.insert_text_format == lsp.InsertTextFormat.Snippet
                assert collate.insert_text and collate.insert_text.startswith("def ${1:collate}(batch):")
                assert collate.additional_text_edits and collate.additional_text_edits[0].range.start == lsp.Position(1, 0)
                assert "pad_sequence" in collate.additional_text_edits[0].new_text
