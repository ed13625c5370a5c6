"""The smallest editor: it starts the real server over stdio, opens one file and asks what an editor asks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

CAPABILITIES = lsp.ClientCapabilities(
    general=lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf16]),
    window=lsp.WindowClientCapabilities(work_done_progress=True),
    workspace=lsp.WorkspaceClientCapabilities(
        configuration=True, inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    ),
    text_document=lsp.TextDocumentClientCapabilities(
        hover=lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.Markdown]),
        completion=lsp.CompletionClientCapabilities(
            completion_item=lsp.ClientCompletionItemOptions(
                label_details_support=True, documentation_format=[lsp.MarkupKind.Markdown]
            )
        ),
        code_action=lsp.CodeActionClientCapabilities(
            code_action_literal_support=lsp.ClientCodeActionLiteralOptions(
                code_action_kind=lsp.ClientCodeActionKindOptions(value_set=[lsp.CodeActionKind.QuickFix])
            )
        ),
        publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(version_support=True, related_information=True),
        inlay_hint=lsp.InlayHintClientCapabilities(),
    ),
)


STDERR_KEPT = 4000
POLL = 0.1  # seconds between two questions whether the server is done
LAST_WORDS = 0.5  # seconds in which what the tensors showed is published


@dataclass(frozen=True)
class Found:
    """A diagnostic as an editor shows it. Lines and characters from 0; `fixed` is the text after the first quick fix."""

    line: int
    start: int
    end: int
    severity: int
    rule: str
    message: str
    related: tuple[tuple[int, str], ...] = ()
    fix: str | None = None
    fixed: str | None = None


@dataclass(frozen=True)
class Hint:
    """An inlay hint: what stands before which character."""

    line: int
    character: int
    label: str


@dataclass(frozen=True)
class Offer:
    """A completion item: its name, what follows it, and the mark at the right."""

    label: str
    detail: str
    mark: str


class Editor:
    """One server process and one open file. Lines and characters are counted from 0, characters in code points."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path = path.resolve()
        self.text = self.path.read_text(encoding="utf-8")
        self.lines = self.text.split("\n")
        self.diagnostics: list[lsp.Diagnostic] = []
        self.messages: list[str] = []
        self.stderr = ""  # the end of what the server wrote there
        self.on_progress: Callable[[str, int], None] = lambda message, percentage: None
        self._published = asyncio.Event()
        self._settings = settings
        self._version = 1
        self._client = LanguageClient("torch-handbook-try", "1")
        self._listen()

    @property
    def document(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.path.as_uri())

    async def open(self, root: Path) -> str:
        """Start the server in this Python and open the file; the server's version comes back."""
        client: Any = self._client  # its start and its registry are not annotated
        await client.start_io(sys.executable, "-m", "torch_handbook", "serve")
        self._drained = asyncio.create_task(self._drain(client._server.stderr))
        result = await self._client.initialize_async(
            lsp.InitializeParams(
                process_id=os.getpid(),
                capabilities=CAPABILITIES,
                root_uri=root.resolve().as_uri(),
                workspace_folders=[lsp.WorkspaceFolder(root.resolve().as_uri(), root.name)],
                initialization_options=self._settings,
            )
        )
        self._client.initialized(lsp.InitializedParams())
        item = lsp.TextDocumentItem(self.document.uri, "python", self._version, self.text)
        self._client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return (result.server_info.version if result.server_info else None) or ""

    async def close(self) -> None:
        """Say goodbye as the protocol wants it."""
        await asyncio.wait_for(self._client.shutdown_async(None), 10)
        self._client.exit(None)
        await self._client.stop()

    async def settle(self, seconds: float) -> None:
        """Wait until the server has nothing left to look at and its last diagnostics came, at most so long."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._idle(), seconds)
            self._published.clear()
            await asyncio.wait_for(self._published.wait(), LAST_WORDS)

    async def _idle(self) -> None:
        await self._published.wait()
        while not (await self.command("torch-handbook.status")).get("idle"):
            await asyncio.sleep(POLL)

    async def hover(self, line: int, character: int) -> str:
        """The Markdown of a hover, "" where there is none."""
        place = lsp.Position(line, units(self.lines[line], character))
        answer = await self._client.text_document_hover_async(lsp.HoverParams(self.document, place))
        return answer.contents.value if answer and isinstance(answer.contents, lsp.MarkupContent) else ""

    async def hints(self) -> list[Hint]:
        """All inlay hints of the file."""
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(self.lines), 0))
        answer = await self._client.text_document_inlay_hint_async(lsp.InlayHintParams(self.document, whole)) or []
        return [self._hint(hint) for hint in answer]

    async def complete(self, typed: str) -> list[Offer]:
        """What is offered after `typed` on a new last line; the text is put back afterwards."""
        text = self.text.rstrip("\n") + "\n" + typed
        self._change(text)
        place = lsp.Position(text.count("\n"), len(typed))
        answer = await self._client.text_document_completion_async(lsp.CompletionParams(self.document, place))
        self._change(self.text)
        items = answer.items if isinstance(answer, lsp.CompletionList) else answer or []
        return [offer(item) for item in sorted(items, key=lambda item: item.sort_text or item.label)]

    async def findings(self) -> list[Found]:
        """The diagnostics in the order of the text, each with its first quick fix."""
        rows = sorted(self.diagnostics, key=lambda d: (d.range.start.line, d.range.start.character))
        return [await self._found(row) for row in rows]

    async def _found(self, row: lsp.Diagnostic) -> Found:
        line = self.lines[row.range.start.line]
        start = code_points(line, row.range.start.character)
        end = code_points(line, row.range.end.character) if row.range.end.line == row.range.start.line else len(line)
        action = await self._first_fix(row)
        return Found(
            row.range.start.line, start, end, int(row.severity or 2), str(row.code or ""), str(row.message),
            tuple((place.location.range.start.line, place.message) for place in row.related_information or ()),
            action.title if action else None, self._applied(action) if action else None,
        )  # fmt: skip

    async def _first_fix(self, diagnostic: lsp.Diagnostic) -> lsp.CodeAction | None:
        context = lsp.CodeActionContext([diagnostic], only=[lsp.CodeActionKind.QuickFix])
        params = lsp.CodeActionParams(self.document, diagnostic.range, context)
        answer = await self._client.text_document_code_action_async(params) or []
        fixes = [action for action in answer if isinstance(action, lsp.CodeAction) and action.edit and action.is_preferred]
        return fixes[0] if fixes else None

    def _applied(self, action: lsp.CodeAction) -> str:
        """The text after a code action's edits of this file."""
        edits: list[Any] = list((action.edit.changes or {}).get(self.document.uri, [])) if action.edit else []
        for change in (action.edit.document_changes or ()) if action.edit else ():
            edits += change.edits if isinstance(change, lsp.TextDocumentEdit) else []
        text = self.text
        for edit in sorted(edits, key=lambda edit: self._offset(edit.range.start), reverse=True):
            text = text[: self._offset(edit.range.start)] + edit.new_text + text[self._offset(edit.range.end) :]
        return text

    def _offset(self, place: lsp.Position) -> int:
        if place.line >= len(self.lines):
            return len(self.text)
        return sum(len(line) + 1 for line in self.lines[: place.line]) + code_points(self.lines[place.line], place.character)

    def _hint(self, hint: lsp.InlayHint) -> Hint:
        label = hint.label if isinstance(hint.label, str) else "".join(part.value for part in hint.label)
        return Hint(hint.position.line, code_points(self.lines[hint.position.line], hint.position.character), label)

    async def command(self, name: str, *arguments: Any) -> dict[str, Any]:
        """What a command of the server answers."""
        answer = await self._client.workspace_execute_command_async(lsp.ExecuteCommandParams(name, list(arguments)))
        return cast("dict[str, Any]", answer if isinstance(answer, dict) else getattr(answer, "_asdict", dict)())

    def _change(self, text: str) -> None:
        self._version += 1
        document = lsp.VersionedTextDocumentIdentifier(self._version, self.document.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self._client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        # pygls pipes stderr and never reads it: a server with much to say would stop in the middle.
        while part := await stderr.read(65536):
            self.stderr = (self.stderr + part.decode("utf-8", "replace"))[-STDERR_KEPT:]

    def _listen(self) -> None:
        # Functions, since pygls writes an attribute on what it registers, and a bound method takes none.
        listeners: dict[str, Callable[[Any], Any]] = {
            lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: lambda params: self._published_diagnostics(params),
            lsp.WINDOW_SHOW_MESSAGE: lambda params: self.messages.append(params.message),
            lsp.WORKSPACE_CONFIGURATION: lambda params: [self._settings for _ in params.items],
            lsp.WORKSPACE_INLAY_HINT_REFRESH: lambda params: None,
            lsp.WINDOW_WORK_DONE_PROGRESS_CREATE: lambda params: None,
            lsp.PROGRESS: lambda params: self._progressed(params),
        }
        client: Any = self._client
        for method, listener in listeners.items():
            client.feature(method)(listener)

    def _published_diagnostics(self, params: lsp.PublishDiagnosticsParams) -> None:
        if params.uri == self.document.uri and self._version == 1:
            self.diagnostics = list(params.diagnostics)
            self._published.set()

    def _progressed(self, params: lsp.ProgressParams) -> None:
        value = cast("Any", params.value)
        row = cast("dict[str, Any]", value if isinstance(value, dict) else vars(value))
        self.on_progress(str(row.get("message") or row.get("title") or ""), int(row.get("percentage") or 0))


def offer(item: lsp.CompletionItem) -> Offer:
    """A completion item in plain words."""
    details = item.label_details
    return Offer(
        item.label, (details.detail if details else None) or "", (details.description if details else None) or item.detail or ""
    )


def code_points(line: str, count: int) -> int:
    """How many characters the first so many UTF-16 units of a line are."""
    return len(line.encode("utf-16-le", "surrogatepass")[: 2 * count].decode("utf-16-le", "ignore"))


def units(line: str, count: int) -> int:
    """How many UTF-16 units the first so many characters of a line are."""
    return len(line[:count].encode("utf-16-le", "surrogatepass")) // 2
