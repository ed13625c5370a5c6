"""The protocol on a page: one short function a method."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types as lsp

from torch_handbook.features import hover
from torch_handbook.lsp import configuration, convert, reply, workspace
from torch_handbook.lsp.later import Later
from torch_handbook.lsp.methods import BENCHMARK, FIX_ALL, OPEN, SUMMARY
from torch_handbook.lsp.protocol import Written
from torch_handbook.lsp.server import Server
from torch_handbook.snapshot import Snapshot

if TYPE_CHECKING:
    from torch_handbook.features import (
        code_actions,
        code_lens,
        completion,
        definition,
        diagnostics,
        inlay_hints,
        links,
        signature_help,
        snippets,
    )
    from torch_handbook.lsp import commands, notebooks, pages
else:  # a hover needs none of these
    code_actions, code_lens = Later("features.code_actions"), Later("features.code_lens")
    completion, definition = Later("features.completion"), Later("features.definition")
    diagnostics, inlay_hints = Later("features.diagnostics"), Later("features.inlay_hints")
    links, signature_help, snippets = Later("features.links"), Later("features.signature_help"), Later("features.snippets")
    commands, notebooks, pages = Later("lsp.commands"), Later("lsp.notebooks"), Later("lsp.pages")

ASKED_ONCE_SECONDS = 8.0  # Emacs gives a request up after ten, Helix after twenty
HANDLERS: dict[str, Callable[..., Any]] = {}
Handler = TypeVar("Handler", bound=Callable[..., Any])


def handles(method: str) -> Callable[[Handler], Handler]:
    """Enter a function under the method or command that it is for."""

    def enter(function: Handler) -> Handler:
        HANDLERS[method] = function
        return function

    return enter


async def diagnosed(ls: Server, uri: str) -> Snapshot | None:
    """The file that a request is about, with its diagnostics computed, in a thread so that typing goes on."""
    snapshot = await ls.session.snapshot(uri)
    if snapshot:
        await asyncio.to_thread(diagnostics.diagnose, snapshot)
    return snapshot


async def interpreted(ls: Server, uri: str) -> None:
    """Wait, for a while, until the worker has looked at a file: for clients that nothing would make ask again."""
    with ls.waiting():
        await ls.session.facts_known(uri, ASKED_ONCE_SECONDS)


# Life


@handles(lsp.INITIALIZED)
async def initialized(ls: Server, _params: lsp.InitializedParams) -> None:
    await configuration.ask(ls)
    ls.session.load()
    await configuration.register(ls)


@handles(lsp.SHUTDOWN)
async def shutdown(ls: Server, _params: None) -> None:
    await ls.session.stop()


# Files


@handles(lsp.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    if document.language_id in ("python", ""):
        ls.session.open(document.uri, convert.path_of(document.uri), document.version, document.text)
        ls.publisher.open(document.uri)


@handles(lsp.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    document = ls.session.documents.get(params.text_document.uri)
    if document:
        text = document.text
        for change in params.content_changes:
            text = convert.changed(text, change, ls.client.encoding)
        ls.session.change(document.uri, params.text_document.version, text)
        ls.publisher.edit(document.uri)


@handles(lsp.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    ls.session.close(params.text_document.uri)
    ls.publisher.close(params.text_document.uri)


@handles(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
def notebook_opened(ls: Server, params: lsp.DidOpenNotebookDocumentParams) -> None:
    notebooks.opened(ls, params)


@handles(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
def notebook_changed(ls: Server, params: lsp.DidChangeNotebookDocumentParams) -> None:
    notebooks.changed(ls, params)


@handles(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
def notebook_closed(ls: Server, params: lsp.DidCloseNotebookDocumentParams) -> None:
    ls.publisher.close(params.notebook_document.uri)
    ls.session.close(params.notebook_document.uri)


# What a reader sees


@handles(lsp.TEXT_DOCUMENT_HOVER)
async def hovered(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    look = await ls.look(params.text_document.uri, params.position)
    if look is None:
        return None
    found = hover.hover(*look)
    if found is None and hover.worth_asking(*look):
        name = await ls.session.infer(*look)
        found = hover.of_name(*look, name) if name else None
    return reply.hover(found, reply.areas(look[0].text, ls.client), ls.client) if found else None


@handles(lsp.TEXT_DOCUMENT_COMPLETION)
async def completed(ls: Server, params: lsp.CompletionParams) -> Written | None:
    if early := ls.session.before_edits(params.text_document.uri):
        place = convert.position(early[1], params.position, ls.client.encoding)
        if (items := completion.at_once(*early, place)) is not None:
            return ls.completions(items)
    look = await ls.look(params.text_document.uri, params.position)
    if look is None:
        return None
    items = completion.complete(*look)
    if not items and ls.client.snippets:
        items = snippets.offers(*look, alone=params.text_document.uri in ls.session.notebooks)
    return ls.completions(items)


@handles(lsp.COMPLETION_ITEM_RESOLVE)
async def resolved(ls: Server, item: lsp.CompletionItem) -> lsp.CompletionItem:
    known = await ls.session.ready()
    text = completion.resolve(known.handbook, known.docs, item.data) if isinstance(item.data, str) else None
    item.documentation = reply.markup(text, markdown=ls.client.markdown_completion) if text else None
    return item


@handles(lsp.TEXT_DOCUMENT_SIGNATURE_HELP)
async def signed(ls: Server, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    look = await ls.look(params.text_document.uri, params.position)
    found = signature_help.help_at(*look) if look else None
    return reply.signature_help(found, ls.client) if found else None


@handles(lsp.TEXT_DOCUMENT_DEFINITION)
async def located(ls: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    """The source in the installed torch; the page of what has none: of a rule, and of everything without torch."""
    look = await ls.look(params.text_document.uri, params.position)
    found = definition.definition(*look) if look else None
    return reply.location(found) if found else await explained(ls, params)


@handles(lsp.TEXT_DOCUMENT_DECLARATION)
async def explained(ls: Server, params: lsp.DeclarationParams | lsp.DefinitionParams) -> lsp.Location | None:
    """The page of the handbook."""
    look = await ls.look(params.text_document.uri, params.position)
    name = links.page_at(*look) if look else None
    address = pages.address(look[0], name, ls.client) if look and name else None
    return lsp.Location(address, lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))) if address else None


@handles(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
async def linked(ls: Server, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink] | None:
    snapshot = await ls.session.snapshot(params.text_document.uri)
    if snapshot is None:
        return None
    area = reply.areas(snapshot.text, ls.client)
    return [reply.link(link, pages.address(snapshot, link.page, ls.client), area) for link in links.links(snapshot)]


@handles(lsp.TEXT_DOCUMENT_INLAY_HINT)
async def hinted(ls: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint] | None:
    if not ls.client.refreshes_hints:  # Helix, Emacs
        await interpreted(ls, params.text_document.uri)
    snapshot = await ls.session.snapshot(params.text_document.uri)
    if snapshot is None:
        return None
    span = convert.span(snapshot.text, params.range, ls.client.encoding)
    return [reply.hint(hint, snapshot.text, ls.client) for hint in inlay_hints.hints(snapshot, span)]


@handles(lsp.TEXT_DOCUMENT_CODE_LENS)
async def lensed(ls: Server, params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
    uri = params.text_document.uri
    if not ls.client.refreshes_lenses:  # Neovim until 0.11
        await interpreted(ls, uri)
    snapshot = await diagnosed(ls, uri)
    for _ in range(2):  # who still waits for an answer may pass over the refresh for what came meanwhile
        if snapshot is await ls.session.snapshot(uri):
            break
        snapshot = await diagnosed(ls, uri)
    if snapshot is None:
        return None
    area = reply.areas(snapshot.text, ls.client)
    return [reply.lens(lens, area) for lens in code_lens.lenses(snapshot, ls.session.summaries(snapshot.uri))]


@handles(lsp.TEXT_DOCUMENT_CODE_ACTION)
async def acted(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    snapshot = await diagnosed(ls, params.text_document.uri)
    if snapshot is None:
        return None
    span = convert.span(snapshot.text, params.range, ls.client.encoding)
    only = params.context.only
    # What is about the whole file is offered to who asks for it: a menu at a cursor is long enough.
    whole = await asyncio.to_thread(code_actions.fix_all, snapshot) if only and reply.wants(FIX_ALL, only) else ()
    found = [*code_actions.actions(snapshot, span), *whole]
    return [reply.action(item, snapshot, ls.client) for item in found if reply.wanted(item, only)]


@handles(lsp.TEXT_DOCUMENT_DIAGNOSTIC)
async def pulled(ls: Server, params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
    snapshot = await diagnosed(ls, params.text_document.uri)
    found = diagnostics.diagnose(snapshot) if snapshot else []
    if snapshot and ls.client.refreshes_diagnostics:  # else nothing would make it ask again when the word is finished
        found = ls.publisher.finished(found, snapshot)
    return lsp.RelatedFullDocumentDiagnosticReport(reply.diagnostics(found, snapshot, ls.client) if snapshot else [])


# Settings


@handles(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
async def configured(ls: Server, params: lsp.DidChangeConfigurationParams) -> None:
    await configuration.changed(ls, params)
    ls.publisher.all()


@handles(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def moved(ls: Server, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    ls.session.move(*workspace.folder_changes(params.event))


@handles(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def watched(ls: Server, _params: lsp.DidChangeWatchedFilesParams) -> None:
    ls.session.reconfigure()
    ls.publisher.all()


# Commands take any list of arguments: editors send what they like.


@handles(BENCHMARK)
async def benchmark(ls: Server, arguments: list[object], token: lsp.ProgressToken | None) -> dict[str, object]:
    return await commands.benchmark(ls, arguments, token)


@handles(SUMMARY)
async def summary(ls: Server, arguments: list[object], token: lsp.ProgressToken | None) -> dict[str, object]:
    return await commands.summary(ls, arguments, token)


@handles("torch-handbook.page")
async def page(ls: Server, arguments: list[object], _token: object) -> dict[str, object]:
    return await commands.page(ls, arguments)


@handles("torch-handbook.pages")
async def page_names(ls: Server, _arguments: list[object], _token: object) -> dict[str, object]:
    return await commands.pages(ls)


@handles("torch-handbook.explain")
async def explain(ls: Server, arguments: list[object], _token: object) -> dict[str, object]:
    return await commands.explain(ls, arguments)


@handles("torch-handbook.search")
async def search(ls: Server, arguments: list[object], _token: object) -> dict[str, object]:
    return await commands.search(ls, arguments)


@handles(OPEN)
async def open_page(ls: Server, arguments: list[object], _token: object) -> dict[str, object]:
    return await commands.open_page(ls, arguments)


@handles("torch-handbook.restart")
async def restart(ls: Server, _arguments: list[object], _token: object) -> dict[str, object]:
    await ls.session.restart()
    return {"ok": True, **ls.session.status()}


@handles("torch-handbook.status")
async def status(ls: Server, _arguments: list[object], _token: object) -> dict[str, object]:
    return commands.status(ls)
