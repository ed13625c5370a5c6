"""An editor for tests: the real server over stdio, in the manner of one client or another."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

SECONDS = 60.0
REFRESHES = (lsp.WORKSPACE_INLAY_HINT_REFRESH, lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_DIAGNOSTIC_REFRESH)


@dataclass
class Editor:
    """A client, and what the server has sent it."""

    client: LanguageClient
    result: lsp.InitializeResult
    published: list[lsp.PublishDiagnosticsParams] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    shown: list[lsp.ShowDocumentParams] = field(default_factory=list)
    registered: list[str] = field(default_factory=list)

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> Buffer:
        item = lsp.TextDocumentItem(uri, language, version, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return Buffer(self, uri, text, version)

    async def command(self, name: str, *arguments: Any, token: str | None = None) -> dict[str, Any]:
        if token:
            self.client.progress_reports[token] = []
        params = lsp.ExecuteCommandParams(f"torch-handbook.{name}", list(arguments), token)
        return await asyncio.wait_for(self.client.workspace_execute_command_async(params), SECONDS)

    async def status(self) -> dict[str, Any]:
        return await self.command("status")

    async def settle(self) -> dict[str, Any]:
        """Wait until the server has loaded everything and the worker has nothing left to look at."""
        return await until(self.status, lambda status: status["idle"])

    def messages(self) -> list[str]:
        return [message.message for message in self.client.messages]


@dataclass
class Buffer:
    """One open file."""

    editor: Editor
    uri: str
    text: str
    version: int = 1

    @property
    def id(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)

    def find(self, words: str, into: int = 0) -> lsp.Position:
        """The position of some words, in this client's encoding; "|" among them is the cursor."""
        words, into = words.replace("|", ""), words.find("|") if "|" in words else into
        offset = self.text.index(words) + into
        head = self.text[: self.text.rfind("\n", 0, offset) + 1]
        return lsp.Position(head.count("\n"), self.width(self.text[len(head) : offset]))

    def width(self, text: str) -> int:
        agreed = self.editor.result.capabilities.position_encoding or "utf-16"
        encoding = str(getattr(agreed, "value", agreed))
        codec, size = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
        return len(text.encode(codec)) // size

    def whole(self) -> lsp.Range:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(self.text.count("\n") + 1, 0))

    def replace(self, old: str, new: str) -> None:
        """Edit the buffer as a user does, and tell the server the edited range alone."""
        start, end = self.find(old), self.find(old, len(old))
        self.change(lsp.TextDocumentContentChangePartial(lsp.Range(start, end), new), self.text.replace(old, new, 1))

    def append(self, new: str) -> None:
        tail = self.text[self.text.rfind("\n") + 1 :]
        end = lsp.Position(self.text.count("\n"), self.width(tail))
        self.change(lsp.TextDocumentContentChangePartial(lsp.Range(end, end), new), self.text + new)

    def set(self, text: str) -> None:
        self.change(lsp.TextDocumentContentChangeWholeDocument(text), text)

    def change(self, change: lsp.TextDocumentContentChangeEvent, text: str) -> None:
        self.version, self.text = self.version + 1, text
        identifier = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))

    def close(self) -> None:
        self.editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(self.id))

    async def hover(self, words: str, into: int = 0) -> str | None:
        found = await self.editor.client.text_document_hover_async(lsp.HoverParams(self.id, self.find(words, into)))
        return found.contents.value if found and isinstance(found.contents, lsp.MarkupContent) else None

    async def complete(self, words: str = "", into: int = 0) -> list[lsp.CompletionItem]:
        """The offers at the end of the buffer, or at a place in it."""
        end = lsp.Position(self.text.count("\n"), self.width(self.text[self.text.rfind("\n") + 1 :]))
        place = self.find(words, into) if words else end
        found = await self.editor.client.text_document_completion_async(lsp.CompletionParams(self.id, place))
        items = found.items if isinstance(found, lsp.CompletionList) else found or []
        return sorted(items, key=lambda item: item.sort_text or item.label)

    async def hints(self) -> list[lsp.InlayHint]:
        params = lsp.InlayHintParams(self.id, self.whole())
        return list(await self.editor.client.text_document_inlay_hint_async(params) or [])

    async def actions(self, words: str, into: int = 0, end: int | None = None) -> list[lsp.CodeAction | lsp.Command]:
        area = lsp.Range(self.find(words, into), self.find(words, into if end is None else end))
        params = lsp.CodeActionParams(self.id, area, lsp.CodeActionContext([]))
        return list(await self.editor.client.text_document_code_action_async(params) or [])

    async def lenses(self) -> list[lsp.CodeLens]:
        return list(await self.editor.client.text_document_code_lens_async(lsp.CodeLensParams(self.id)) or [])

    async def pulled(self) -> list[lsp.Diagnostic]:
        report = await self.editor.client.text_document_diagnostic_async(lsp.DocumentDiagnosticParams(self.id))
        return list(report.items)

    async def diagnostics(self, wanted: Callable[[list[lsp.Diagnostic]], bool] = lambda rows: True) -> list[lsp.Diagnostic]:
        """What was last published about this version, once it is as wanted."""

        async def last() -> list[lsp.Diagnostic] | None:
            rows = [row for row in self.editor.published if row.uri == self.uri]
            return list(rows[-1].diagnostics) if rows and rows[-1].version == self.version else None

        return await until(last, lambda rows: rows is not None and wanted(rows))

    def edited(self, action: lsp.CodeAction | lsp.Command) -> str:
        """The text after an action's edits."""
        assert isinstance(action, lsp.CodeAction) and action.edit
        edits = [*(action.edit.changes or {}).get(self.uri, [])]
        for change in action.edit.document_changes or []:
            assert isinstance(change, lsp.TextDocumentEdit) and change.text_document.version == self.version
            edits += [edit for edit in change.edits if isinstance(edit, lsp.TextEdit)]
        text = self.text
        for edit in sorted(edits, key=lambda edit: self.offset(edit.range.start), reverse=True):
            text = text[: self.offset(edit.range.start)] + edit.new_text + text[self.offset(edit.range.end) :]
        return text

    def offset(self, place: lsp.Position) -> int:
        lines = self.text.split("\n")
        line = lines[place.line]
        width = next(n for n in range(len(line) + 1) if self.width(line[:n]) >= place.character)
        return sum(len(line) + 1 for line in lines[: place.line]) + width


async def until(ask: Callable[[], Awaitable[Any]], good: Callable[[Any], bool], seconds: float = SECONDS) -> Any:
    """Ask until the answer is good; fail with the last answer after a while."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        answer = await ask()
        if good(answer):
            return answer
        assert asyncio.get_running_loop().time() < end, f"still after {seconds} s: {answer!r}"
        await asyncio.sleep(0.02)


def profile(name: str) -> lsp.ClientCapabilities:
    """What a client announces; pytest-lsp's profiles are older than today's editors, which can do a little more."""
    capabilities = client_capabilities(name)
    assert capabilities.workspace and capabilities.window and capabilities.text_document
    capabilities.window.work_done_progress = True
    if name == "visual-studio-code" and (completion := capabilities.text_document.completion) and completion.completion_item:
        completion.completion_item.label_details_support = True
    if name != "emacs":
        capabilities.workspace.inlay_hint = lsp.InlayHintWorkspaceClientCapabilities(True)
        capabilities.workspace.code_lens = lsp.CodeLensWorkspaceClientCapabilities(True)
        capabilities.text_document.diagnostic = lsp.DiagnosticClientCapabilities()
    return capabilities


@asynccontextmanager
async def connected(
    capabilities: lsp.ClientCapabilities,
    folder: Path,
    *,
    settings: Any = None,
    options: Any = None,
    environ: Mapping[str, str] | None = None,
    log: Path | None = None,
    locale: str | None = None,
) -> AsyncIterator[Editor]:
    """A server with a client that has said hello. What the server logs goes to the test's own standard error."""
    client = make_test_lsp_client()
    client.set_configuration({"torchHandbook": settings or {}})
    arguments = ["-m", "torch_handbook", "serve"]
    await client.start_io(sys.executable, *arguments, env={**os.environ, "LC_ALL": "C.UTF-8", **(environ or {})})
    editor = Editor(client, lsp.InitializeResult(lsp.ServerCapabilities()))
    listen(editor)
    params = lsp.InitializeParams(
        capabilities=capabilities,
        root_uri=folder.as_uri(),
        workspace_folders=[lsp.WorkspaceFolder(folder.as_uri(), folder.name)],
        initialization_options=options,
        locale=locale,
    )
    editor.result = await asyncio.wait_for(client.initialize_session(params), SECONDS)
    try:
        yield editor
    finally:
        await asyncio.wait_for(client.shutdown_session(), SECONDS)
        await client.stop()


def listen(editor: Editor) -> None:
    """Keep what the server sends."""
    client = editor.client
    del client.protocol.fm.features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]
    client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: editor.published.append(params))
    client.protocol.fm.features.pop(lsp.WORKSPACE_DIAGNOSTIC_REFRESH)
    for method in REFRESHES:
        client.feature(method)(lambda params, method=method: editor.refreshed.append(method))
    client.protocol.fm.features.pop(lsp.WINDOW_SHOW_DOCUMENT, None)
    client.feature(lsp.WINDOW_SHOW_DOCUMENT)(lambda params: show(editor, params))
    client.protocol.fm.features.pop(lsp.CLIENT_REGISTER_CAPABILITY, None)
    client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(lambda params: register(editor, params))


def show(editor: Editor, params: lsp.ShowDocumentParams) -> lsp.ShowDocumentResult:
    editor.shown.append(params)
    return lsp.ShowDocumentResult(True)


def register(editor: Editor, params: lsp.RegistrationParams) -> None:
    editor.registered += [item.method for item in params.registrations]
