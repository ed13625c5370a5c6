"""The least that a server on pygls can do: it answers constants, so what it takes is what pygls and the pipe take."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

ITEMS = 1000
TEXT = lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "```python\nx\n```"))
OFFERS = lsp.CompletionList(False, [lsp.CompletionItem(f"name_{n}", kind=lsp.CompletionItemKind.Function) for n in range(ITEMS)])
NOTHING = lsp.RelatedFullDocumentDiagnosticReport([])

server = LanguageServer("bare", "1")


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def hover(_params: lsp.HoverParams) -> lsp.Hover:
    return TEXT


@server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))
def complete(_params: lsp.CompletionParams) -> lsp.CompletionList:
    return OFFERS


@server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, lsp.DiagnosticOptions(False, False))
def diagnose(_params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
    return NOTHING


if __name__ == "__main__":
    server.start_io()
