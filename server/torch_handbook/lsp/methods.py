"""What the server can do: every method and command with its options, said before any of what does it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types as lsp

BENCHMARK = "torch-handbook.benchmark"
SUMMARY = "torch-handbook.summary"
OPEN = "torch-handbook.open"  # the page behind an action
FIX_ALL = "source.fixAll.torch-handbook"

REQUESTS: Mapping[str, Any] = {
    lsp.SHUTDOWN: None,
    lsp.TEXT_DOCUMENT_HOVER: None,
    # Not "(" and ",": a list of parameters behind each of them is in the way of who types a value.
    lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionOptions(trigger_characters=[".", '"', "'"], resolve_provider=True),
    lsp.COMPLETION_ITEM_RESOLVE: None,
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: lsp.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=[")", "="]),
    lsp.TEXT_DOCUMENT_DEFINITION: None,
    lsp.TEXT_DOCUMENT_DECLARATION: None,
    lsp.TEXT_DOCUMENT_DOCUMENT_LINK: lsp.DocumentLinkOptions(resolve_provider=False),
    lsp.TEXT_DOCUMENT_INLAY_HINT: None,
    lsp.TEXT_DOCUMENT_CODE_LENS: lsp.CodeLensOptions(resolve_provider=False),
    lsp.TEXT_DOCUMENT_CODE_ACTION: lsp.CodeActionOptions(
        code_action_kinds=[lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite, FIX_ALL, BENCHMARK, SUMMARY]
    ),
}

# Offered only to a client that cannot be pushed to.
PULLED: Mapping[str, Any] = {lsp.TEXT_DOCUMENT_DIAGNOSTIC: lsp.DiagnosticOptions(False, False, "torch-handbook")}

# The code cells of every kind of notebook, if they are Python.
NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    [lsp.NotebookDocumentFilterWithCells(cells=[lsp.NotebookCellLanguage("python")], notebook="*")]
)

NOTIFICATIONS = (
    lsp.INITIALIZED,
    lsp.TEXT_DOCUMENT_DID_OPEN,
    lsp.TEXT_DOCUMENT_DID_CHANGE,
    lsp.TEXT_DOCUMENT_DID_CLOSE,
    lsp.NOTEBOOK_DOCUMENT_DID_OPEN,
    lsp.NOTEBOOK_DOCUMENT_DID_CHANGE,
    lsp.NOTEBOOK_DOCUMENT_DID_CLOSE,
    lsp.WORKSPACE_DID_CHANGE_CONFIGURATION,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
)

COMMANDS = (
    BENCHMARK,
    SUMMARY,
    "torch-handbook.page",
    "torch-handbook.pages",
    "torch-handbook.explain",
    "torch-handbook.search",
    OPEN,
    "torch-handbook.restart",
    "torch-handbook.status",
)
