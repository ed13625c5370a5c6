"""What the client can do, read once from what it announced."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types as lsp

from torch_handbook.lsp import convert


@dataclass(frozen=True)
class Client:
    """Every difference between clients that the server minds."""

    encoding: str = convert.UTF16
    pulls: bool = False  # diagnostics
    related: bool = False
    tags: bool = False
    code_descriptions: bool = False
    label_details: bool = False
    snippets: bool = False
    label_offsets: bool = False  # of parameters in signatures
    markdown_hover: bool = True
    markdown_completion: bool = True
    markdown_signature: bool = True
    configuration: bool = False
    registers_configuration: bool = False
    registers_watchers: bool = False
    refreshes_hints: bool = False
    refreshes_lenses: bool = False
    refreshes_diagnostics: bool = False
    progress: bool = False
    shows_documents: bool = False
    document_changes: bool = False
    shows_pages: bool = False  # has a view of its own for them, and is told their names instead of files
    follows_status: bool = False  # wants to be told when the server's status changes


def read(capabilities: lsp.ClientCapabilities) -> Client:
    """The differences in one client's announcement."""
    text = capabilities.text_document or lsp.TextDocumentClientCapabilities()
    space = capabilities.workspace or lsp.WorkspaceClientCapabilities()
    window = capabilities.window or lsp.WindowClientCapabilities()
    published, pulled = text.publish_diagnostics, text.diagnostic
    shown = published or pulled
    item = text.completion.completion_item if text.completion else None
    signature = text.signature_help.signature_information if text.signature_help else None
    parameter = signature.parameter_information if signature else None
    return Client(
        encoding=convert.negotiated(capabilities.general.position_encodings if capabilities.general else None),
        # VS Code, Neovim and Helix announce both ways. Pushing is the quicker and steadier one there: what the worker finds
        # later appears at once, without a refresh that makes the client ask again for every open file, and each message
        # carries the version that it is about. So only who cannot be pushed to is pulled.
        pulls=pulled is not None and published is None,
        related=bool(shown and shown.related_information),
        tags=bool(shown and shown.tag_support),
        code_descriptions=bool(shown and shown.code_description_support),
        label_details=bool(item and item.label_details_support),
        snippets=bool(item and item.snippet_support),
        label_offsets=bool(parameter and parameter.label_offset_support),
        markdown_hover=_markdown(text.hover.content_format if text.hover else None),
        markdown_completion=_markdown(item.documentation_format if item else None),
        markdown_signature=_markdown(signature.documentation_format if signature else None),
        configuration=bool(space.configuration),
        registers_configuration=bool(space.did_change_configuration and space.did_change_configuration.dynamic_registration),
        registers_watchers=bool(space.did_change_watched_files and space.did_change_watched_files.dynamic_registration),
        refreshes_hints=bool(space.inlay_hint and space.inlay_hint.refresh_support),
        refreshes_lenses=bool(space.code_lens and space.code_lens.refresh_support),
        refreshes_diagnostics=bool(space.diagnostics and space.diagnostics.refresh_support),
        progress=bool(window.work_done_progress),
        shows_documents=bool(window.show_document and window.show_document.support),
        document_changes=bool(space.workspace_edit and space.workspace_edit.document_changes),
        shows_pages=_experimental(capabilities.experimental, "torchHandbookPages"),
        follows_status=_experimental(capabilities.experimental, "torchHandbookStatus"),
    )


def _experimental(announced: object, name: str) -> bool:
    """Whether a client announced something that is no part of the protocol."""
    found: object = announced.get(name) if isinstance(announced, dict) else getattr(announced, name, None)  # pyright: ignore
    return found is True


def _markdown(formats: object) -> bool:
    """Whether Markdown may be sent. Who says nothing about formats gets Markdown too: it reads well as it is."""
    return not formats or lsp.MarkupKind.Markdown in list(formats)  # type: ignore[call-overload]
