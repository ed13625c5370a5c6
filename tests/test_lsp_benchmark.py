"""Benchmarks through the protocol: progress, the report, the lens, cancelling, and snippets that fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psutil
import pytest
import pytest_asyncio
from lsp_editor import Buffer, Editor, connected, profile, until
from lsprotocol import types as lsp

pytest.importorskip("torch")
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.torch]

TEXT = """import time
import torch

a, b = torch.randn(4, 8, 16), torch.randn(4, 16, 8)
c = torch.einsum("bij,bjk->bik", a, b)
d = torch.ones(3) @ torch.ones(4)
e = [time.sleep(0.2) for _ in range(10_000)]
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    folder = tmp_path_factory.mktemp("bench")
    capabilities = profile("neovim")
    assert capabilities.window
    capabilities.window.show_document = lsp.ShowDocumentClientCapabilities(True)
    home = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    async with connected(capabilities, folder, settings={"facts": False}, environ=home) as editor:
        yield editor
        assert (await editor.status())["errors"] == 0


@pytest.fixture
def buffer(editor: Editor, request: pytest.FixtureRequest) -> Buffer:
    editor.shown.clear()
    editor.client.progress_reports.clear()
    return editor.open(f"file:///{request.node.name}.py", TEXT)


async def test_an_einsum_is_timed_beside_its_replacement(editor: Editor, buffer: Buffer) -> None:
    (lens,) = await buffer.lenses()
    assert lens.range.start == buffer.find("c = ") and lens.command and "Benchmark" in lens.command.title
    result = await editor.command("benchmark", *lens.command.arguments or [])
    assert result["ok"], result
    assert "torch.einsum" in result["report"] and "torch.matmul" in result["report"]
    (reports,) = editor.client.progress_reports.values()
    kinds = [report.kind for report in reports]
    assert kinds[0] == "begin" and kinds[-1] == "end" and len(kinds) > 2
    (again,) = await buffer.lenses()
    assert again.command and result["summary"] in again.command.title
    assert lsp.WORKSPACE_CODE_LENS_REFRESH in editor.refreshed
    await until(editor.status, lambda _: bool(editor.shown))
    path = Path(unquote(urlsplit(editor.shown[0].uri).path))
    assert path.read_text(encoding="utf-8") == result["report"]


FUNCTION = """import torch

def scaled(x, by):
    \"\"\"Scales.\"\"\"
    y = torch.relu(x)
    return y * by

scaled(torch.ones(8, 8), 2)
"""


async def test_a_function_is_timed_from_its_lens_and_the_note_stays_above_it(editor: Editor) -> None:
    buffer = editor.open("file:///function.py", FUNCTION)
    (lens,) = await buffer.lenses()
    assert lens.range.start == buffer.find("def scaled") and lens.command and lens.command.title == "Benchmark"
    result = await editor.command("benchmark", *lens.command.arguments or [], {"show": False})
    assert result["ok"], result
    (note,) = await buffer.lenses()
    assert note.range.start == lens.range.start and note.command and note.command.title == f"{result['summary']} · again"
    buffer.replace("y * by", "y / by")
    (lens,) = await buffer.lenses()
    assert lens.command and lens.command.title == "Benchmark"


async def test_a_client_that_shows_the_report_itself_is_not_shown_it(editor: Editor, buffer: Buffer) -> None:
    result = await editor.command("benchmark", buffer.uri, {"line": 3, "endLine": 3}, {"show": False})
    assert result["ok"], result
    with_token = await editor.command("benchmark", buffer.uri, {"start": 3, "end": 3}, token="mine")
    assert with_token["ok"] and "mine" in editor.client.progress_reports
    await editor.status()
    assert editor.shown == []


async def test_a_failing_snippet_shows_its_own_traceback(editor: Editor, buffer: Buffer) -> None:
    at = buffer.find("d = ")
    result = await editor.command("benchmark", buffer.uri, {"start": {"line": at.line, "character": 0}})
    assert result["ok"] is False
    assert "RuntimeError" in result["report"] and "RuntimeError" in result["problem"]


async def running(editor: Editor, buffer: Buffer, token: str | None = None) -> asyncio.Task[dict[str, object]]:
    """A benchmark that takes for ever, once it has begun to report."""
    line = buffer.find("e = ").line
    task = asyncio.ensure_future(editor.command("benchmark", buffer.uri, {"line": line}, token=token))
    await until(editor.status, lambda _: any(len(rows) > 1 for rows in editor.client.progress_reports.values()))
    return task


async def test_cancelled_from_the_progress_display(editor: Editor, buffer: Buffer) -> None:
    task = await running(editor, buffer)
    (token,) = editor.client.progress_reports
    editor.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token))
    result = await asyncio.wait_for(task, 10)
    assert result["ok"] is False and result["cancelled"] is True
    assert editor.client.progress_reports[token][-1].kind == "end"
    assert editor.shown == []
    await nothing_runs(editor)


async def test_cancelled_by_taking_the_request_back(editor: Editor, buffer: Buffer) -> None:
    arguments = [buffer.uri, {"line": buffer.find("e = ").line}]
    params = lsp.ExecuteCommandParams("torch-handbook.benchmark", arguments, "ours")
    editor.client.progress_reports["ours"] = []
    sent = editor.client.protocol.send_request(lsp.WORKSPACE_EXECUTE_COMMAND, params, msg_id="long")
    await until(editor.status, lambda _: len(editor.client.progress_reports.get("ours", [])) > 1)
    editor.client.cancel_request(lsp.CancelParams("long"))
    with pytest.raises(Exception, match="cancel"):
        await asyncio.wait_for(asyncio.wrap_future(sent), 10)
    await until(editor.status, lambda _: editor.client.progress_reports["ours"][-1].kind == "end")
    await nothing_runs(editor)


async def nothing_runs(editor: Editor) -> None:
    """The process of the benchmark is gone, and with it the user's code."""

    async def workers() -> list[psutil.Process]:
        children = psutil.Process((await editor.status())["process"]).children(recursive=True)
        return [child for child in children if any("torch_handbook_worker" in word for word in child.cmdline())]

    await until(workers, lambda found: not found)


async def test_other_requests_are_answered_meanwhile(editor: Editor, buffer: Buffer) -> None:
    task = await running(editor, buffer, "other")
    assert "torch.einsum" in (await asyncio.wait_for(buffer.hover("torch.ein|sum"), 5) or "")
    editor.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams("other"))
    await asyncio.wait_for(task, 10)
