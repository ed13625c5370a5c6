"""The hover of a name that the handbook has no entry of: what torch says of it, as much as a glance takes in."""

from __future__ import annotations

import re

from torch_handbook.features import docstring
from torch_handbook.features.tables import cut, table, word
from torch_handbook.handbook import markdown
from torch_handbook.handbook.wrap import wrapped
from torch_handbook.torchdocs import official
from torch_handbook.torchdocs.docs import Doc, TorchDocs
from torch_handbook.torchdocs.markdown import inline, to_markdown
from torch_handbook.torchdocs.markdown import summary as first_paragraph

ELSEWHERE = re.compile(r"\ASee `torch\.[\w.]+`\.?\n\n(?=\S)")  # what it points to follows it
POINTER = re.compile(r"\A(?:See|Alias (?:for|of)) `[\w.]+`(?:\(\))?\.?\Z")
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)\.\s+(?=[A-Z`])")
DEFAULT = re.compile(r"\.?\s*[(\[]?\bDefaults?(?: value)?\s*(?::|is\b|to\b|=).*", re.IGNORECASE)
WIDE = 100  # characters of a row, which an editor that shows it raw does not break
LEAST = 40  # of them, for what a parameter is
LINES = 10  # of an example


def brief(docs: TorchDocs, doc: Doc) -> str | None:
    """Signature, first paragraph, parameters, an example, and where to read on; None for a name of which torch says nothing."""
    text = paragraph(docs, doc)
    if not text and not doc.signature:
        return None
    parts = [
        markdown.code(markdown.declaration(doc.name, doc.signature)),
        deprecation(doc),
        wrapped(text) if text else "",
        parameters(doc),
        example(doc),
        link(doc.name),
    ]
    return "\n\n".join(part for part in parts if part)


def paragraph(docs: TorchDocs, doc: Doc) -> str:
    """The first paragraph; of a name that only points to another, that of the other."""
    text = first_paragraph(doc.docstring)
    other = docs.doc(doc.see) if doc.see and POINTER.match(text) else None
    text = first_paragraph(other.docstring) if other else text
    return "" if doc.deprecated and _same(text, inline(doc.deprecated)) else text


def deprecation(doc: Doc) -> str:
    """That it should not be used any more, and what torch says to that."""
    if doc.deprecated is None:
        return ""
    said = inline(doc.deprecated).strip()
    return wrapped(f"⚠ **Deprecated.** {said}" if said != "deprecated" else "⚠ **Deprecated.**")


def parameters(doc: Doc) -> str:
    """A table of the parameters that torch explains, each with its default and one sentence; the rest is said on itself."""
    said = {item.name: item for item in docstring.arguments(doc.docstring)}
    rows = [(item.name, item.default) for item in doc.parameters if item.name in said]
    if not rows:
        return ""
    cells = [[word(name), word(default or "") if default != "..." else "", said[name].text] for name, default in rows]
    room = max(WIDE - sum(max(len(row[column]) for row in cells) + 3 for column in (0, 1)) - 4, LEAST)
    return table(("parameter", "default", "what it is"), [[*row[:2], _sentence(row[2], room)] for row in cells])


def example(doc: Doc) -> str:
    """The first lines of torch's first example, where it has one."""
    found = CODE.search(to_markdown(doc.docstring))
    lines = found[1].rstrip().split("\n") if found else []
    head = "\n".join(lines[:LINES]).rstrip() + ("\n…" if len(lines) > LINES else "")
    return markdown.code(head) if ">>>" in head else ""


def link(name: str) -> str:
    """The way to the official documentation."""
    address = official.address(name)
    return f"[The official page]({address})" if address else ""


def _sentence(text: str, room: int) -> str:
    """The first sentence without the default, which has a column of its own."""
    first = SENTENCE.split(DEFAULT.sub("", text).strip() or text, maxsplit=1)[0]
    return cut(first.strip().rstrip(".").replace(" | ", " or "), room)


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same, but for markup and spaces."""
    return re.sub(r"\W+", " ", one).strip().lower() == re.sub(r"\W+", " ", other).strip().lower()
