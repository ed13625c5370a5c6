"""The protocol on a page: one short function a method."""

from __future__ import annotations

from lsprotocol import types as lsp

from torch_handbook.features import code_actions, code_lens, completion, diagnostics, hover, inlay_hints
from torch_handbook.lsp import capabilities, commands, configuration, convert, reply
from torch_handbook.lsp.publish import Publisher
from torch_handbook.lsp.server import Server

server = Server()
publisher = Publisher(server)

# Not "(" and ",": a list of parameters behind each of them is in the way of who types a value.
COMPLETION = lsp.CompletionOptions(trigger_characters=[".", '"', "'"], resolve_provider=True)
ACTIONS = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, code_actions.BENCHMARK])

# Life


@server.feature(lsp.INITIALIZE)
def initialize(ls: Server, params: lsp.InitializeParams) -> None:
    ls.client = capabilities.read(params.capabilities)
    ls.session.folders = configuration.folders(params)
    ls.session.configure(configuration.section(params.initialization_options))
    if ls.client.pulls:
        ls.answers(lsp.TEXT_DOCUMENT_DIAGNOSTIC, lsp.DiagnosticOptions(False, False, "torch-handbook"))(pull)


@server.feature(lsp.INITIALIZED)
async def initialized(ls: Server, _params: lsp.InitializedParams) -> None:
    await configuration.ask(ls)
    ls.session.load()
    await configuration.register(ls)


@server.feature(lsp.SHUTDOWN)
async def shutdown(ls: Server, _params: None) -> None:
    await ls.session.stop()


# Files


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    if document.language_id in ("python", ""):
        ls.session.open(document.uri, convert.path_of(document.uri), document.version, document.text)
        publisher.open(document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    document = ls.session.documents.get(params.text_document.uri)
    if document:
        text = document.text
        for change in params.content_changes:
            text = convert.changed(text, change, ls.client.encoding)
        ls.session.change(document.uri, params.text_document.version, text)
        publisher.edit(document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    ls.session.close(params.text_document.uri)
    publisher.close(params.text_document.uri)


# What a reader sees


@server.answers(lsp.TEXT_DOCUMENT_HOVER)
async def hovered(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    look = await ls.look(params.text_document.uri, params.position)
    if look is None:
        return None
    found = hover.hover(*look)
    if found is None and hover.worth_asking(*look):
        name = await ls.session.infer(*look)
        found = hover.of_name(*look, name) if name else None
    return reply.hover(found, reply.areas(look[0].text, ls.client), ls.client) if found else None


@server.answers(lsp.TEXT_DOCUMENT_COMPLETION, COMPLETION)
async def completed(ls: Server, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    look = await ls.look(params.text_document.uri, params.position)
    return reply.completions(completion.complete(*look), ls.client) if look else None


@server.feature(lsp.COMPLETION_ITEM_RESOLVE)
async def resolved(ls: Server, item: lsp.CompletionItem) -> lsp.CompletionItem:
    known = await ls.session.ready()
    text = completion.resolve(known.handbook, known.docs, item.data) if isinstance(item.data, str) else None
    item.documentation = reply.markup(text, markdown=ls.client.markdown_completion) if text else None
    return item


@server.answers(lsp.TEXT_DOCUMENT_INLAY_HINT)
async def hinted(ls: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint] | None:
    snapshot = await ls.session.snapshot(params.text_document.uri)
    if snapshot is None:
        return None
    span = convert.span(snapshot.text, params.range, ls.client.encoding)
    return [reply.hint(hint, snapshot.text, ls.client) for hint in inlay_hints.hints(snapshot, span)]


@server.answers(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=False))
async def lensed(ls: Server, params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
    snapshot = await ls.diagnosed(params.text_document.uri)
    if snapshot is None:
        return None
    area = reply.areas(snapshot.text, ls.client)
    return [reply.lens(lens, area) for lens in code_lens.lenses(snapshot, ls.session.summaries(snapshot.uri))]


@server.answers(lsp.TEXT_DOCUMENT_CODE_ACTION, ACTIONS)
async def acted(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    snapshot = await ls.diagnosed(params.text_document.uri)
    if snapshot is None:
        return None
    span = convert.span(snapshot.text, params.range, ls.client.encoding)
    found = [item for item in code_actions.actions(snapshot, span) if reply.wanted(item, params.context.only)]
    return [reply.action(item, snapshot, ls.client) for item in found]


async def pull(ls: Server, params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
    """Registered only for a client that cannot be pushed to."""
    snapshot = await ls.diagnosed(params.text_document.uri)
    found = diagnostics.diagnose(snapshot) if snapshot else []
    return lsp.RelatedFullDocumentDiagnosticReport(reply.diagnostics(found, snapshot, ls.client) if snapshot else [])


# Settings


@server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
async def configured(ls: Server, params: lsp.DidChangeConfigurationParams) -> None:
    await configuration.changed(ls, params)
    publisher.all()


@server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def moved(ls: Server, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    ls.session.move(*configuration.folder_changes(params.event))


@server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def watched(ls: Server, _params: lsp.DidChangeWatchedFilesParams) -> None:
    ls.session.reconfigure()
    publisher.all()


# Commands take any list of arguments: editors send what they like.


@server.command(code_actions.BENCHMARK)
async def benchmark(ls: Server, arguments: list[object], token: lsp.ProgressToken | None) -> dict[str, object]:
    return await commands.benchmark(ls, arguments, token)


@server.command("torch-handbook.page")
async def page(ls: Server, arguments: list[object], _token: object) -> dict[str, object]:
    return await commands.page(ls, arguments)


@server.command("torch-handbook.explain")
async def explain(ls: Server, arguments: list[object], _token: object) -> dict[str, object]:
    return await commands.explain(ls, arguments)


@server.command("torch-handbook.restart")
async def restart(ls: Server, _arguments: list[object], _token: object) -> dict[str, object]:
    await ls.session.restart()
    return {"ok": True, **ls.session.status()}


@server.command("torch-handbook.status")
async def status(ls: Server, _arguments: list[object], _token: object) -> dict[str, object]:
    return commands.status(ls)
