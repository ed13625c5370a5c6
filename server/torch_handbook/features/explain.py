"""Whole pages, for a reader who asks for one by its name."""

from __future__ import annotations

from dataclasses import dataclass

from torch_handbook.engine import registry, ruledoc
from torch_handbook.features import apidoc
from torch_handbook.handbook import markdown
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.torchdocs.docs import TorchDocs


@dataclass(frozen=True)
class Page:
    """A title and Markdown."""

    title: str
    markdown: str


def page(handbook: Handbook, docs: TorchDocs, name: str) -> Page | None:
    """The handbook's page of a name, guide or comparison; else what torch's own docs say; else the page of a rule.

    A name may be given as code has it, without its "torch.": "nn.Conv2d"; or its end alone, where only one page ends so.
    """
    found = _page(handbook, docs, name) or rule(handbook, name) or _page(handbook, docs, f"torch.{name}")
    called = handbook.called(name) if found is None else ()
    return _page(handbook, docs, called[0]) if len(called) == 1 else found


def _page(handbook: Handbook, docs: TorchDocs, name: str) -> Page | None:
    entry, doc = handbook.find(name), docs.doc(name)
    if entry:
        signature = doc.signature if doc else None
        text = markdown.page(entry, signature=signature, version=docs.version, rules=registry.finders())
        return Page(entry.title or entry.name, text)
    text = apidoc.page(handbook, docs, name)
    return Page(name, text) if text else None


def rules() -> list[str]:
    """The names of all findings that have a page."""
    return sorted(registry.finders())


def rule(handbook: Handbook, name: str) -> Page | None:
    """The page of a rule, or of a kind that it covers, with the pitfalls of the handbook that are about it."""
    found = registry.rule(name)
    if found is None:
        return None
    pitfalls = [markdown.pitfall(pitfall, entry) for entry, pitfall in handbook.pitfalls_of_rule(name)]
    return Page(name, "\n\n---\n\n".join([ruledoc.markdown(found, name), *pitfalls]))
