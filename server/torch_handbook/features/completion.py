"""What can be typed at a place: names only. What is said of one comes when the editor asks for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch_handbook_worker.protocol import Fact

from torch_handbook.features import apidoc, choices, usage
from torch_handbook.features.naming import owners
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.api import last_word, named_after
from torch_handbook.source.place import Slot
from torch_handbook.source.text import Position, span_of
from torch_handbook.torchdocs.docs import TorchDocs
from torch_handbook.torchdocs.listing import CLASSES, MODULES

# Classes, functions and the like, in the protocol's words without the protocol.
CLASS, FUNCTION, METHOD, ATTRIBUTE, VALUE, KEYWORD = "class", "function", "method", "attribute", "value", "keyword"
MODULE, CONSTANT = "module", "constant"
# Members of Module that no code of a user speaks of; they have no docs, and the alphabet would put one of them first.
UNSAID = frozenset(f"torch.nn.Module.{name}" for name in ("T_destination", "call_super_init", "dump_patches"))


@dataclass(frozen=True)
class Item:
    """One offer. `name` is the public name that its text is found by, `mark` says how many pitfalls the handbook knows."""

    label: str
    kind: str
    name: str
    sort: str
    mark: str = ""
    deprecated: bool = False


def complete(snapshot: Snapshot, position: Position) -> list[Item]:
    """The offers at a position, the likeliest first by their `sort`."""
    slot = snapshot.file.slot_at(position) if snapshot.settings.completion_mode != "off" else None
    if slot is None:
        return []
    if slot.kind == "argument":
        return _arguments(snapshot, slot)
    if slot.kind == "value":
        return _values(snapshot, slot)
    if slot.kind == "name" and slot.keyword:
        return _values(snapshot, slot, quote='"')
    return _members(snapshot, slot)


def resolve(handbook: Handbook, docs: TorchDocs, name: str) -> str | None:
    """The text of an offer, by its name; "torch.nn.Conv2d#padding" is a parameter."""
    name, _, parameter = name.partition("#")
    if parameter:
        return apidoc.parameter(handbook, docs, name, parameter)
    return apidoc.page(handbook, docs, name)


def mark(pitfalls: int) -> str:
    """What a list of completions shows beside a name."""
    return f"⚠ {pitfalls} pitfall{'s' if pitfalls > 1 else ''}" if pitfalls else ""


def _members(snapshot: Snapshot, slot: Slot) -> list[Item]:
    items: dict[str, Item] = {}
    pitfalls = snapshot.handbook.pitfall_counts()
    annotated = snapshot.settings.completion_mode == "annotated"
    for owner in _owners(snapshot, slot):
        used = usage.order(owner)
        for label in snapshot.docs.members(owner) or _pages(snapshot, owner):
            name = f"{owner}.{label}"
            line = snapshot.handbook.line(name)
            if label in items or (annotated and line is None):
                continue
            kind, deprecated = snapshot.docs.outline(name) or (_kind_of_page(line.kind) if line else "", False)
            place = None if deprecated else used.get(label)
            sort = f"0{place:04}" if place is not None else f"{_rank(label, name, bool(line), deprecated)}{label}"
            items[label] = Item(label, _kind(owner, label, kind), name, sort, mark(pitfalls.get(name, 0)), deprecated)
    return list(items.values())


def _rank(label: str, name: str, has_page: bool, deprecated: bool) -> str:
    """Where a name comes that people hardly use: with a page, without, deprecated, and what nobody speaks of."""
    if label.startswith("_") or name in UNSAID:
        return "4"
    return "3" if deprecated else "1" if has_page else "2"


def _owners(snapshot: Snapshot, slot: Slot) -> tuple[str, ...]:
    """Whose members are offered: what the file says before the dot, or what the worker saw there."""
    if slot.owner:
        return (slot.owner,)
    if slot.receiver is None:
        return ()
    known = owners(_fact(snapshot, slot.receiver, slot.span.start))
    guessed = None if known else named_after(last_word(slot.receiver))  # an `optimizer` that a function is given
    return known or ((guessed,) if guessed else ())


def _fact(snapshot: Snapshot, receiver: ast.expr, place: Position) -> Fact | None:
    """What the receiver is. The line that is being typed has no facts, so it is looked up where it stood last."""
    words = ast.unparse(receiver)
    earlier = (node for node in ast.walk(snapshot.file.tree) if span_of(node).end_line < place.line and _words(node) == words)
    last = max(earlier, key=lambda node: span_of(node), default=None)
    return snapshot.facts.of(last)


def _words(node: ast.AST) -> str | None:
    """A name, a parameter or a chain of attributes as it is written."""
    if isinstance(node, ast.arg):
        return node.arg
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else None


def _pages(snapshot: Snapshot, owner: str) -> list[str]:
    """Without torch the handbook's own pages are all there is to offer."""
    head = f"{owner}."
    rest = [name.removeprefix(head) for name in snapshot.handbook.names() if name.startswith(head)]
    return sorted({name.split(".")[0] for name in rest})


def _kind_of_page(kind: str) -> str:
    """What a page says of a name; pages call layers modules, and so does torch its modules."""
    return kind if kind in (CLASS, FUNCTION, METHOD, ATTRIBUTE) else ""


def _kind(owner: str, label: str, known: str) -> str:
    """The kind of a member; by its owner and its spelling where nothing is known of it."""
    in_class = owner.rpartition(".")[2][:1].isupper() or owner in ("torch.device", "torch.dtype")
    if known == ATTRIBUTE:
        return ATTRIBUTE if in_class else CONSTANT
    if known in (CLASS, MODULE, METHOD) or (known == FUNCTION and not in_class):
        return known
    if f"{owner}.{label}" in MODULES:
        return MODULE
    return METHOD if in_class else CLASS if label[:1].isupper() or f"{owner}.{label}" in CLASSES else FUNCTION


def _arguments(snapshot: Snapshot, slot: Slot) -> list[Item]:
    """The keyword arguments that the call at hand does not have yet, neither by name nor by position."""
    doc = snapshot.docs.doc(slot.call) if slot.call else None
    if doc is None or slot.call is None:
        return []
    places = [item.name for item in doc.parameters if item.kind == "positional" and item.name != "self"]
    taken = {*slot.given, *places[: max(slot.index - len(slot.given), 0)]}
    items = [item.name for item in doc.parameters if item.kind in ("positional", "keyword") and item.name not in taken]
    return [
        Item(f"{label}=", KEYWORD, f"{slot.call}#{label}", f"0{number:03}")
        for number, label in enumerate(label for label in items if label not in ("self", "input"))
    ]


def _values(snapshot: Snapshot, slot: Slot, quote: str = "") -> list[Item]:
    """The strings that an argument takes, where its docs list them; with quotes where the reader has not typed one yet."""
    if slot.call is None or slot.keyword is None:
        return []
    values = choices.of(snapshot.docs.doc(slot.call), slot.keyword)
    name = f"{slot.call}#{slot.keyword}"
    return [Item(f"{quote}{value}{quote}", VALUE, name, f"{number:03}") for number, value in enumerate(values)]
