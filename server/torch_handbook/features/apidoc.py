"""What is said of an API: the handbook's page where there is one, else the docs of the user's torch."""

from __future__ import annotations

import re

from torch_handbook.engine import registry
from torch_handbook.features import brief, docstring
from torch_handbook.handbook import markdown
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.wrap import wrapped
from torch_handbook.torchdocs.docs import Doc, TorchDocs
from torch_handbook.torchdocs.markdown import to_markdown

CODE = re.compile(r"(^[ >]*```.*?^[ >]*```[^\n]*)", re.DOTALL | re.MULTILINE)
MENTIONED = 12  # names of pages, of a module that has many


def short(handbook: Handbook, docs: TorchDocs, name: str) -> str | None:
    """The hover of a public name, or None where nothing is known of it."""
    entry, doc = handbook.find(name), docs.doc(name)
    if entry:
        signature = doc.signature if doc else None
        return markdown.hover(entry, name=name, signature=signature, version=docs.version, rules=registry.finders())
    return (brief.brief(docs, doc) or _module(handbook, docs, doc)) if doc else None


def page(handbook: Handbook, docs: TorchDocs, name: str) -> str | None:
    """All of torch's own words on a name that the handbook has no entry of."""
    doc = docs.doc(name)
    return (_from_docs(doc) or _module(handbook, docs, doc)) if doc else None


def summary(handbook: Handbook, docs: TorchDocs, name: str) -> str:
    """One sentence about a public name; "" where nothing is known."""
    if entry := handbook.find(name):
        return wrapped(entry.summary)
    doc = docs.doc(name)
    return wrapped(brief.paragraph(docs, doc)) if doc else ""


def parameter(handbook: Handbook, docs: TorchDocs, name: str, parameter: str) -> str | None:
    """What one parameter of a callable does."""
    entry, doc = handbook.find(name), docs.doc(name)
    said = markdown.parameter(entry, parameter) if entry else None
    signed = next((item for item in doc.parameters if item.name == parameter), None) if doc else None
    words = next((item for item in docstring.arguments(doc.docstring) if item.name == parameter), None) if doc else None
    if said is None and (words or signed):
        kind = f" ({words.type})" if words and words.type else ""
        said = f"**`{parameter}`**{kind} of `{name}`" + (f"\n\n{wrapped_page(words.text)}" if words and words.text else "")
    if said and signed and signed.default is not None and "default" not in said.lower():
        said += f"\n\nDefault: `{signed.default}`."
    return said


def _from_docs(doc: Doc) -> str | None:
    """A page made of torch's own words; None for a name of which torch says nothing, as of many modules."""
    if not doc.docstring.strip() and not doc.signature:
        return None
    text = wrapped_page(brief.ELSEWHERE.sub("", to_markdown(doc.docstring)))
    parts = [markdown.code(markdown.declaration(doc.name, doc.signature)), brief.deprecation(doc), text, brief.link(doc.name)]
    return "\n\n".join(part for part in parts if part)


def wrapped_page(text: str) -> str:
    """A page with its prose wrapped; code and tables stay as they are."""
    pieces = CODE.split(text)
    return "".join(piece if row % 2 else "\n".join(map(_wrapped_line, piece.split("\n"))) for row, piece in enumerate(pieces))


def _wrapped_line(line: str) -> str:
    """A line of prose broken into several; a quoted one stays quoted."""
    if line.startswith("> "):
        return "\n".join(f"> {part}" for part in wrapped(line[2:]).split("\n"))
    return line if line.startswith("|") or not line.strip() else wrapped(line)


def _module(handbook: Handbook, docs: TorchDocs, doc: Doc) -> str | None:
    """Of a module without words of its own: what the handbook has pages on in it, else what it has."""
    head = f"{doc.name}."
    below = [name.removeprefix(head) for name in handbook.names() if name.startswith(head)]
    pages = sorted({name.split(".")[0] for name in below}, key=str.lower)
    names = pages or [name for name in docs.members(doc.name) if not name.startswith("_")]
    if doc.kind != "module" or not names:
        return None
    more = f" and {len(names) - MENTIONED} more" if len(names) > MENTIONED else ""
    words = f"{'Pages on' if pages else 'Has'} {', '.join(f'`{name}`' for name in names[:MENTIONED])}{more}."
    return f"{markdown.code(f'import {doc.name}')}\n\n{wrapped(words)}"
