"""What a reader sees who rests on a name: the handbook's page, the docs of torch, or what a value is."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch_handbook_worker.protocol import Fact, ModuleFact, ObjectFact, TensorFact

from torch_handbook.features import apidoc, layers, whence, wording
from torch_handbook.features.naming import Named, named_at
from torch_handbook.handbook.wrap import wrapped
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, Span


@dataclass(frozen=True)
class Hover:
    """Markdown, and the span that it is about."""

    markdown: str
    span: Span


def hover(snapshot: Snapshot, position: Position) -> Hover | None:
    """What is known at a position without asking jedi."""
    if found := _rule(snapshot, position):
        return found
    named = named_at(snapshot, position)
    if named is None:
        return None
    if named.place.kind in ("keyword", "string"):
        return _parameter(snapshot, named)
    return _page(snapshot, named) or _value(snapshot, named)


def of_name(snapshot: Snapshot, position: Position, name: str) -> Hover | None:
    """The same for a name that jedi gave."""
    place = snapshot.file.place_at(position)
    text = apidoc.short(snapshot.handbook, snapshot.docs, name)
    return Hover(text, place.span) if place and text else None


def worth_asking(snapshot: Snapshot, position: Position) -> bool:
    """Whether jedi may know more: for a member of something that nothing else knows."""
    place = snapshot.file.place_at(position)
    return place is not None and place.kind == "attribute" and place.name is None


def _page(snapshot: Snapshot, named: Named) -> Hover | None:
    text = named.name and apidoc.short(snapshot.handbook, snapshot.docs, named.name)
    return Hover(text, named.place.span) if text else None


def _parameter(snapshot: Snapshot, named: Named) -> Hover | None:
    """One parameter of the call that its keyword or value stands in."""
    place = named.place
    if place.name is None or place.keyword is None:
        return None
    text = apidoc.parameter(snapshot.handbook, snapshot.docs, place.name, place.keyword)
    return Hover(text, place.span) if text else None


def _value(snapshot: Snapshot, named: Named) -> Hover | None:
    """What a variable holds, as the worker saw it or as the file says."""
    place = named.place
    label = place.attribute or snapshot.text.slice(place.span)
    fact = snapshot.facts.of(place.node) or snapshot.facts.at(place.span)
    if fact is None or (isinstance(fact, ObjectFact) and not fact.type.startswith("torch.")):
        # A plain number is what one way through the code makes of it, and other servers speak of those.
        return _instance(snapshot, named, label)
    parts = _of_fact(snapshot, place.node, fact)
    return Hover("\n\n".join([f"```python\n{label}: {parts[0]}\n```", *filter(None, parts[1:])]), place.span)


def _of_fact(snapshot: Snapshot, node: ast.AST, fact: Fact) -> list[str]:
    """What a value is in a line of code, and then the rest, the most telling first."""
    if isinstance(fact, ModuleFact):
        rows = layers.layers(snapshot, node, fact) if isinstance(node, ast.expr) else ""
        about = apidoc.summary(snapshot.handbook, snapshot.docs, fact.type)
        return [fact.type if rows else wording.line(fact), wording.details(fact), rows or about]
    if isinstance(fact, TensorFact):
        return [wording.line(fact), wording.details(fact), wrapped(whence.whence(snapshot, node))]
    about = apidoc.summary(snapshot.handbook, snapshot.docs, fact.type) if isinstance(fact, ObjectFact) else ""
    return [wording.line(fact), wording.details(fact), about]


def _instance(snapshot: Snapshot, named: Named, label: str) -> Hover | None:
    """A variable of which the file alone says what it is: `self.conv = nn.Conv2d(…)`."""
    node = named.place.node
    value = snapshot.file.value_of(node) if isinstance(node, ast.expr) else None
    if value is None or not isinstance(node, ast.expr) or value.kind not in ("instance", "tensor"):
        return None
    rows = layers.layers(snapshot, node, None) if value.base == "torch.nn.Module" else ""
    if not rows and not value.name.startswith("torch."):
        return None
    about = "" if rows else apidoc.summary(snapshot.handbook, snapshot.docs, value.name)
    return Hover(f"```python\n{label}: {value.name}\n```\n\n{rows or about}".rstrip(), named.place.span)


def _rule(snapshot: Snapshot, position: Position) -> Hover | None:
    """The page of a rule whose id is in a comment that silences it."""
    if "torch-handbook:" not in snapshot.text.content:
        return None
    # Few files have such comments, and rules take time to import.
    from torch_handbook.engine import registry, ruledoc
    from torch_handbook.features import links

    link = links.link_at(snapshot, position)
    rule = registry.rule(link.page) if link else None
    return Hover(ruledoc.markdown(rule, link.page), link.span) if link and rule else None
