"""What the features answer, as protocol types for one client."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from torch_handbook.features.plain import plain
from torch_handbook.lsp import convert
from torch_handbook.lsp.later import Later
from torch_handbook.source.text import Span, Text

if TYPE_CHECKING:
    from torch_handbook.engine.rule import Finding
    from torch_handbook.features.code_actions import Action
    from torch_handbook.features.code_lens import Lens
    from torch_handbook.features.definition import Definition
    from torch_handbook.features.diagnostics import Diagnostic
    from torch_handbook.features.hover import Hover
    from torch_handbook.features.inlay_hints import Hint
    from torch_handbook.features.links import Link
    from torch_handbook.features.offers import Item
    from torch_handbook.features.signature_help import Argument, Help, Signature
    from torch_handbook.lsp import pages
    from torch_handbook.lsp.capabilities import Client
    from torch_handbook.snapshot import Snapshot
else:
    pages = Later("lsp.pages")

SOURCE = "torch-handbook"

SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "information": lsp.DiagnosticSeverity.Information,
    "hint": lsp.DiagnosticSeverity.Hint,
}
KINDS = {
    "class": lsp.CompletionItemKind.Class,
    "function": lsp.CompletionItemKind.Function,
    "method": lsp.CompletionItemKind.Method,
    "module": lsp.CompletionItemKind.Module,
    "attribute": lsp.CompletionItemKind.Property,
    "constant": lsp.CompletionItemKind.Constant,
    "keyword": lsp.CompletionItemKind.Variable,
    "value": lsp.CompletionItemKind.EnumMember,
    "snippet": lsp.CompletionItemKind.Snippet,
}
Area = Callable[[Span], lsp.Range]


def areas(text: Text, client: Client) -> Area:
    """Turns spans of a text into this client's ranges."""
    return lambda span: convert.area(text, span, client.encoding)


def markup(text: str, *, markdown: bool) -> lsp.MarkupContent:
    """Markdown, or the same words without its marks for a client that shows plain text."""
    if markdown:
        return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
    return lsp.MarkupContent(lsp.MarkupKind.PlainText, plain(text))


def hover(found: Hover, area: Area, client: Client) -> lsp.Hover:
    return lsp.Hover(markup(found.markdown, markdown=client.markdown_hover), area(found.span))


def diagnostics(found: Iterable[Diagnostic], snapshot: Snapshot, client: Client) -> list[lsp.Diagnostic]:
    area = areas(snapshot.text, client)
    return [_diagnostic(item, snapshot, area, client) for item in found]


def _diagnostic(item: Diagnostic, snapshot: Snapshot, area: Area, client: Client) -> lsp.Diagnostic:
    finding, uri = item.finding, snapshot.uri
    page = pages.of_rule(snapshot, finding.id, client) if client.code_descriptions else None
    tags = [lsp.DiagnosticTag.Unnecessary] * item.unnecessary + [lsp.DiagnosticTag.Deprecated] * item.deprecated
    related = [lsp.DiagnosticRelatedInformation(lsp.Location(uri, area(place.span)), place.message) for place in finding.related]
    return lsp.Diagnostic(
        range=area(finding.span),
        message=finding.message,
        severity=SEVERITIES[finding.severity.value if finding.severity else "warning"],
        code=finding.id,
        code_description=lsp.CodeDescription(page) if page else None,
        source=SOURCE,
        tags=(tags or None) if client.tags else None,
        related_information=(related or None) if client.related else None,
    )


def completions(items: Iterable[Item], client: Client) -> lsp.CompletionList:
    return lsp.CompletionList(is_incomplete=False, items=[_completion(item, client.label_details) for item in items])


@lru_cache(maxsize=8192)
def _completion(item: Item, details: bool) -> lsp.CompletionItem:
    """One offer. Making the thousand of `torch.` takes longer than all else about them, and they are the same each time."""
    words = (item.signature.strip(), item.mark)
    shown = lsp.CompletionItemLabelDetails(item.signature or None, item.mark or None) if details and any(words) else None
    return lsp.CompletionItem(
        label=item.label,
        kind=KINDS[item.kind],
        sort_text=item.sort,
        label_details=shown,
        detail=None if details else "  ".join(filter(None, reversed(words))) or None,
        tags=[lsp.CompletionItemTag.Deprecated] if item.deprecated else None,
        data=item.name,
        insert_text=item.insert or None,
        insert_text_format=lsp.InsertTextFormat.Snippet if item.insert else None,
        additional_text_edits=[_above(*item.above)] if item.above else None,
    )


def _above(line: int, text: str) -> lsp.TextEdit:
    """An edit that puts text before a line, from 1."""
    place = lsp.Position(line - 1, 0)
    return lsp.TextEdit(lsp.Range(place, place), text)


def signature_help(found: Help, client: Client) -> lsp.SignatureHelp:
    active = found.signatures[found.active]
    return lsp.SignatureHelp(
        signatures=[_signature(one, found.summary, client) for one in found.signatures],
        active_signature=found.active,
        active_parameter=_active(active),
    )


def _signature(found: Signature, summary: str, client: Client) -> lsp.SignatureInformation:
    return lsp.SignatureInformation(
        label=found.label,
        documentation=markup(summary, markdown=client.markdown_signature) if summary else None,
        parameters=[_parameter(item, found.label, client) for item in found.arguments],
        active_parameter=_active(found),
    )


def _active(found: Signature) -> int:
    """One past the last stands for none: what is left out would be read as the first."""
    return len(found.arguments) if found.active is None else found.active


def _parameter(item: Argument, label: str, client: Client) -> lsp.ParameterInformation:
    return lsp.ParameterInformation(
        label=(item.start, item.end) if client.label_offsets else label[item.start : item.end],
        documentation=markup(item.text, markdown=client.markdown_signature) if item.text else None,
    )


def location(found: Definition) -> lsp.Location:
    """A place in one of torch's files, whose names and what is before them are ASCII."""
    line = found.line - 1
    return lsp.Location(found.path.as_uri(), lsp.Range(lsp.Position(line, found.start), lsp.Position(line, found.end)))


def link(found: Link, target: str | None, area: Area) -> lsp.DocumentLink:
    return lsp.DocumentLink(area(found.span), target, tooltip=found.tooltip)


def hint(found: Hint, text: Text, client: Client) -> lsp.InlayHint:
    return lsp.InlayHint(
        position=convert.place(text, found.position, client.encoding),
        label=found.label,
        kind=lsp.InlayHintKind.Type,
        tooltip=markup(found.tooltip, markdown=True),
        padding_left=False,
    )


def wanted(item: Action, only: Iterable[str] | None) -> bool:
    return wants(item.kind, only)


def wants(name: str, only: Iterable[str] | None) -> bool:
    """Whether the client asked for actions of a kind; "source" means "source.fixAll" too."""
    kinds = [str(getattr(kind, "value", kind)) for kind in only or ()]
    return not kinds or any(name == kind or name.startswith(f"{kind}.") for kind in kinds)


def action(item: Action, snapshot: Snapshot, client: Client) -> lsp.CodeAction:
    area = areas(snapshot.text, client)
    command = lsp.Command(item.title, item.command, arguments=list(item.arguments)) if item.command else None
    return lsp.CodeAction(
        title=item.title,
        kind=item.kind,
        diagnostics=[_bare(item.finding, area)] if item.finding else None,
        is_preferred=item.preferred or None,
        edit=_edit(item, snapshot, client) if item.edits else None,
        command=command,
    )


def _bare(finding: Finding, area: Area) -> lsp.Diagnostic:
    severity = SEVERITIES[finding.severity.value if finding.severity else "warning"]
    return lsp.Diagnostic(area(finding.span), finding.message, severity, finding.id, source=SOURCE)


def _edit(item: Action, snapshot: Snapshot, client: Client) -> lsp.WorkspaceEdit:
    edits = convert.text_edits(snapshot.text, item.edits, client.encoding)
    if not client.document_changes:
        return lsp.WorkspaceEdit(changes={snapshot.uri: edits})
    document = lsp.OptionalVersionedTextDocumentIdentifier(uri=snapshot.uri, version=snapshot.version)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, list(edits))])


def lens(item: Lens, area: Area) -> lsp.CodeLens:
    return lsp.CodeLens(area(item.span), lsp.Command(item.title, item.command, arguments=list(item.arguments)))
